import type { Json } from './json.ts';
import type { Log } from './log.ts';
import type { Meta, Totals } from './meta.ts';
import { costOf } from './prices.ts';
import type { Ask, AskKind, Decision, RunRecord } from './record.ts';
import { askId } from './tables.ts';

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
}

/** Whether an ask still takes an answer. Times are ms since the epoch. */
export type AskState =
  | { readonly is: 'open' }
  | {
      readonly is: 'answered';
      readonly by: string;
      readonly at: number;
      readonly decisions: readonly { readonly index?: number; readonly decision: Decision; readonly comment?: string }[];
    }
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
  readonly state: AskState;
}

/** Why a link shows no ask. */
export type LinkFault = 'unknown' | 'tampered' | 'expired';

/** Calls before the ask that are shown. */
const MAX_BEFORE = 20;

/** Puts together what a person is shown of an ask. `log` holds at least the records up to the one after it. */
export function viewOfAsk(meta: Meta, log: Log, ask: Ask, recipient?: string): AskView {
  const first = log[0];
  const costUsd = costOf(meta.pin.model, meta.totals);
  return {
    id: askId(meta.runId, ask.seq),
    runId: meta.runId,
    agent: meta.agent,
    kind: ask.kind,
    reason: ask.reason,
    askedAt: ask.at,
    ...(ask.expiresAt === undefined ? {} : { expiresAt: ask.expiresAt }),
    ...(recipient === undefined ? {} : { recipient }),
    questions: ask.questions.map(asShown),
    task: first?.type === 'task' ? first.input : null,
    before: callsBefore(log, ask.seq),
    totals: meta.totals,
    ...(costUsd === undefined ? {} : { costUsd }),
    state: stateOf(meta, log[ask.seq]),
  };
}

/** A question without what only the runtime needs. */
function asShown({ inputHash: _, ...question }: Ask['questions'][number]): QuestionView {
  return Object.fromEntries(Object.entries(question).filter(([, value]) => value !== undefined)) as unknown as QuestionView;
}

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

function stateOf(meta: Meta, next: RunRecord | undefined): AskState {
  if (next?.type === 'answer') {
    if (next.answers.some(({ decision }) => decision === 'expired')) return { is: 'expired', at: next.at };
    const decisions = next.answers.map(({ index, decision, comment }) => ({
      decision,
      ...(index === undefined ? {} : { index }),
      ...(comment === undefined ? {} : { comment }),
    }));
    return { is: 'answered', by: next.by, at: next.at, decisions };
  }
  if (next || meta.cancel)
    return {
      is: 'closed',
      status: meta.cancel ? 'cancelled' : meta.status,
      reason: meta.cancel ? `Cancelled by ${meta.cancel.by}` : meta.reason,
    };
  return { is: 'open' };
}
