import type { Json } from './json.ts';
import type { Log } from './log.ts';
import type { Meta, Parent, Totals } from './meta.ts';
import { isSamePerson } from './recipient.ts';
import type { Answer, Ask, AskedBudget, AskKind, Decision, Question } from './record.ts';
import { type Answered, answersOf, deadlineOf, isAnswered, isAskedOf, openQuestions, type Standing, standings } from './standing.ts';
import { costOfRun } from './summary.ts';
import { askId } from './tables.ts';

/** What one person, or the clock, said to a question. `at` is ms since the epoch. */
export interface SaidView {
  readonly by: string;
  readonly via: Answer['via'];
  readonly at: number;
  readonly decision: Decision;
  readonly comment?: string;
  /** By how much the budget was raised, in its unit. */
  readonly amount?: number;
  /** What was given as the result. */
  readonly output?: Json;
  /** The arguments that were put in place of those asked about. */
  readonly edited?: Json;
}

/** One question as a person is shown it. */
export interface QuestionView {
  readonly kind: AskKind;
  /** The call it is about; absent when it is about the run. */
  readonly index?: number;
  readonly tool?: string;
  /** The exact arguments that will be used. */
  readonly input?: Json;
  /** Model-written arguments may be in it: shown as plain text. */
  readonly text: string;
  readonly choices: readonly Decision[];
  readonly risk?: 'normal' | 'high';
  /** The answers to choose from with `result`; any when absent. */
  readonly options?: readonly string[];
  /** The budget that is reached, where it is about one. */
  readonly budget?: AskedBudget;
  /** How many different people must say yes; one when absent. */
  readonly needs?: number;
  /** Those who may answer; everybody who can come here when absent. */
  readonly approvers?: readonly string[];
  /** When this question expires, ms since the epoch. */
  readonly expiresAt?: number;
  /** What was said to it so far, oldest first. */
  readonly said: readonly SaidView[];
  /** Whether nothing more is needed. */
  readonly settled: boolean;
  /** Whether the one who looks may answer it now. */
  readonly mine: boolean;
  /** Whether consent may be given to other arguments than those asked about. */
  readonly editable: boolean;
  /** Whether `repin` names the model that the run goes on with. */
  readonly namesModel?: boolean;
}

/** Whether an ask still takes an answer. Times are ms since the epoch. */
export type AskState =
  | { readonly is: 'open' }
  | { readonly is: 'answered'; readonly at: number }
  | { readonly is: 'expired'; readonly at: number }
  | { readonly is: 'closed'; readonly status: string; readonly reason: string };

/** What a page or a mail says about an ask. */
export interface AskView {
  readonly id: string;
  readonly runId: string;
  readonly agent: string;
  readonly kind: AskKind;
  readonly reason: string;
  readonly askedAt: number;
  readonly expiresAt?: number;
  /** Whom the link was made for. */
  readonly recipient?: string;
  readonly questions: readonly QuestionView[];
  /** The input of the run. */
  readonly task: Json;
  /** What the run did before, oldest first, at most twenty calls. */
  readonly before: readonly { readonly tool: string; readonly input: Json; readonly ok: boolean; readonly output: Json }[];
  readonly totals: Totals;
  readonly costUsd?: number;
  /** The run that it starts over, or from which it branches off. */
  readonly parent?: Omit<Parent, 'root'>;
  /** The run that goes on in its place. */
  readonly restartedAs?: string;
  readonly state: AskState;
}

/** Why a link shows no ask. */
export type LinkFault = 'unknown' | 'tampered' | 'expired' | 'revoked' | 'other-recipient';

/** Calls before the ask that are shown. */
const MAX_BEFORE = 20;

/**
 * Puts together what is shown of an ask to the recipient of a link, or to somebody whom the service itself let in. `log`
 * holds at least the records up to its last answer.
 */
export function viewOfAsk(meta: Meta, log: Log, ask: Ask, recipient?: string): AskView {
  const first = log[0];
  const costUsd = costOfRun(meta);
  const answers = answersOf(log, ask);
  const standing = standings(ask, answers);
  const expiresAt = deadlineOf(openQuestions(standing));
  return {
    id: askId(meta.runId, ask.seq),
    runId: meta.runId,
    agent: meta.agent,
    kind: ask.kind,
    reason: ask.reason,
    askedAt: ask.at,
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(recipient === undefined ? {} : { recipient }),
    questions: standing.map((each) => asShown(each, answers, recipient)),
    task: first?.type === 'task' ? first.input : null,
    before: callsBefore(log, ask.seq),
    totals: meta.totals,
    ...(meta.parent ? { parent: meta.parent } : {}),
    ...(meta.restartedAs === undefined ? {} : { restartedAs: meta.restartedAs }),
    ...(costUsd === undefined ? {} : { costUsd }),
    state: stateOf(meta, log, ask, standing),
  };
}

/** A question without what only the runtime needs. */
function asShown({ question, said, settled }: Standing, answers: readonly Answer[], recipient: string | undefined): QuestionView {
  const { inputHash: _, escalateTo: __, onExpiry: ___, expiresInSeconds: ____, key: _____, offers: ______, ...shown } = question;
  const mine = !settled && isAskedOf(question, recipient) && !said.some(({ by }) => isSamePerson(by, recipient));
  const namesModel = question.offers?.of === 'model' || undefined;
  const standing = { said: said.map((each) => saidView(each, answers)), settled: settled !== undefined, mine };
  const more = { ...standing, editable: isEditable(question), namesModel };
  return Object.fromEntries(Object.entries({ ...shown, ...more }).filter(([, value]) => value !== undefined)) as unknown as QuestionView;
}

function saidView({ seq, by, answer }: Answered, answers: readonly Answer[]): SaidView {
  const record = answers.find((each) => each.seq === seq) as Answer;
  const { decision, comment, amount, output, edit } = answer;
  return {
    by,
    via: record.via,
    at: record.at,
    decision,
    ...(comment === undefined ? {} : { comment }),
    ...(amount === undefined ? {} : { amount }),
    ...(output === undefined ? {} : { output }),
    ...(edit === undefined ? {} : { edited: edit.input }),
  };
}

/** Several people must consent to the same arguments, so only one who decides alone may change them. */
export const isEditable = ({ kind, needs = 1 }: Pick<Question, 'kind' | 'needs'>): boolean => kind === 'approval' && needs === 1;

function callsBefore(log: Log, seq: number): AskView['before'] {
  const done = log.slice(0, seq).flatMap((record) => {
    const reply = record.type === 'results' ? log[record.reply - 1] : undefined;
    if (record.type !== 'results' || reply?.type !== 'reply') return [];
    return record.results.map(({ index, ok, output }) => ({
      tool: reply.calls[index]?.tool ?? '',
      input: reply.calls[index]?.input ?? null,
      ok,
      output,
    }));
  });
  return done.slice(-MAX_BEFORE);
}

function stateOf(meta: Meta, log: Log, ask: Ask, standing: readonly Standing[]): AskState {
  const settled = standing.flatMap((each) => each.settled ?? []);
  const at = log[Math.max(ask.seq, ...settled.map(({ seq }) => seq)) - 1]?.at ?? ask.at;
  if (isAnswered(standing))
    return settled.every(({ answer }) => answer.decision === 'expired') ? { is: 'expired', at } : { is: 'answered', at };
  if (meta.cancel) return { is: 'closed', status: 'cancelled', reason: `Cancelled by ${meta.cancel.by}` };
  const isLast = log.length === ask.seq + answersOf(log, ask).length;
  return isLast ? { is: 'open' } : { is: 'closed', status: meta.status, reason: meta.reason };
}
