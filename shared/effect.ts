import * as z from 'zod';
import { json } from './json.ts';
import { type LineageEffect, resultOf } from './lineage.ts';
import { answersTo, earlierEffect, failedJustBefore, type Log } from './log.ts';
import {
  type ApprovalNeed,
  type Call,
  type Decision,
  effectClass,
  type Question,
  type QuestionNeed,
  type Reply,
  type Result,
  SCHEMA_VERSION,
} from './record.ts';
import { type Answered, isPassedOn } from './standing.ts';
import { businessEffectKey, effectKey } from './tables.ts';

/** Where an effect stands: begun, begun with its result to come from outside, happened, certainly not happened, or open. */
export const effectState = z.enum(['started', 'pending', 'done', 'failed', 'unknown']);

/** The ledger entry of one call. A call that reads has one only where its result must outlive its step. */
export const effectRecord = z.object({
  v: z.literal(SCHEMA_VERSION),
  /** The run whose invocation owns it. */
  runId: z.string(),
  key: z.string(),
  /** The call it was last begun for, as `<runId>/<seq>/<index>`: an equal call later on, or in another run, may share the entry. */
  call: z.string(),
  tool: z.string(),
  class: effectClass,
  inputHash: z.string(),
  state: effectState,
  /** The invocation that owns it: later ones take it over, earlier ones can no longer write it. */
  epoch: z.int(),
  /** The platform's id of that invocation, to recognise the report of its death. */
  requestId: z.string(),
  /** Tries so far, counted since a person last let it try again. */
  attempts: z.int().positive(),
  /** The seq of the last record that its newest try had seen: later answers are about that try, earlier ones are not. */
  seen: z.int().nonnegative(),
  startedAt: z.number(),
  /** The attempt ends by this time, ms since the epoch. */
  deadline: z.number(),
  /** What the tool gave, once it is `done` or `failed`. */
  output: json.optional(),
  ok: z.boolean().optional(),
  /** Why the outcome is open. */
  error: z.string().optional(),
  ms: z.number().optional(),
});
export type EffectRecord = z.infer<typeof effectRecord>;

/** What the log says about a call before it runs. */
export interface CallFacts {
  readonly reply: Reply;
  readonly call: Call;
  readonly answers: readonly Answered[];
  /** The seq of the log's last record. */
  readonly seen: number;
  /** Tries spent on equal calls that failed just before. */
  readonly spentBefore: number;
  readonly maxAttempts: number;
  /** An earlier equal call with an effect. */
  readonly earlier: ReturnType<typeof earlierEffect>;
  readonly onRepeat: 'run' | 'reuse' | 'ask';
  /** The effect of the lineage's ledger that the call meets: the run has not spoken of it yet. */
  readonly met?: LineageEffect | undefined;
}

/**
 * Names the effect of a call: an open effect of an equal call, of the run itself or of its lineage, goes on under the key with
 * which it began; else it is the business key or the call's own.
 */
export function keyOf(runId: string, log: Log, reply: Reply, call: Call, met?: LineageEffect): string {
  const earlier = call.class === 'read' ? undefined : earlierEffect(log, reply, call);
  if (earlier?.result.effect?.state === 'unknown') return earlier.result.effect.key;
  if (met?.state === 'open') return met.key;
  return call.businessKey === undefined ? effectKey(runId, reply.seq, call.index) : businessEffectKey(call.tool, call.businessKey);
}

/** Gathers the facts of a call from the log. */
export function callFacts(log: Log, reply: Reply, call: Call, limits: Pick<CallFacts, 'maxAttempts' | 'onRepeat' | 'met'>): CallFacts {
  return {
    reply,
    call,
    answers: answersTo(log, reply, call.index),
    seen: log.length,
    spentBefore: failedJustBefore(log, reply, call),
    earlier: call.class === 'read' || call.invalid !== undefined ? undefined : earlierEffect(log, reply, call),
    ...limits,
  };
}

/** What to do with a call now. `attempt` counts from 1; `seen` is the seq of the last record that the try takes into account. */
export type Plan =
  | { readonly do: 'settle'; readonly result: Result }
  | { readonly do: 'run'; readonly attempt: number; readonly seen: number }
  /** Ask the outside system; `attempt` is that of the run which may follow, undefined when the tries are used up. */
  | { readonly do: 'find'; readonly attempt: number | undefined; readonly seen: number }
  | { readonly do: 'ask'; readonly question: Question }
  /** Take over an entry whose result comes from outside: the run that awaited it is over. */
  | { readonly do: 'take'; readonly seen: number }
  | { readonly do: 'wait'; readonly until: number };

/** How the ledger entry stands to the present invocation. */
export interface LedgerFacts {
  readonly entry: EffectRecord | undefined;
  /** The run that the call is part of; the entry may be another's. */
  readonly runId: string;
  /** Whether the invocation that owns the entry is known to be over. */
  readonly over: boolean;
  readonly now: number;
  /** Whether an earlier invocation of this very step may have begun the call without marking it. */
  readonly begunUnmarked: boolean;
}

/** Decides about one call from log and ledger. Pure. */
export function planCall(facts: CallFacts, ledger: LedgerFacts): Plan {
  return fromPeople(facts, ledger) ?? fromLedger(facts, ledger) ?? toRun(facts, ledger);
}

/** What settles a call before it begins: it is invalid, denied, given by a person, or done already. */
function fromPeople(facts: CallFacts, ledger: LedgerFacts): Plan | undefined {
  const since = isOurs(facts, ledger) ? seenBy(ledger) : 0;
  const given = facts.answers.findLast((answered) => settles(answered) && answered.seq > since && !isOvertaken(answered, facts, ledger));
  const settled = given && settledBy(facts, given, ledger.entry);
  if (settled) return { do: 'settle', result: settled };
  if (facts.call.invalid !== undefined) return invalid(facts);
  if (facts.call.question) return { do: 'ask', question: asked(facts.call, facts.call.question) };
  const done = facts.met?.state === 'done' ? facts.met : undefined;
  if (done && facts.onRepeat !== 'ask') return { do: 'settle', result: resultOf(facts.call, done) };
  const need = done ? repeatNeed(facts.call, done) : facts.call.approval;
  return need && !facts.answers.some((answered) => consents(facts.call, answered)) ? needsConsent(facts.call, need) : undefined;
}

/** Why a call needs consent whose equal was done by another run of the lineage. */
const repeatNeed = ({ approval }: Call, { runId, seq }: LineageEffect): ApprovalNeed => ({
  ...approval,
  reason: `${approval ? `${approval.reason}. ` : ''}An equal call was done before, by run ${runId} at record ${seq}`,
});

/** Once one of these is said about a call it stands: a later `retry` means the step, not the call. */
const SETTLING: readonly Decision[] = ['deny', 'expired', 'skip', 'done', 'result'];

/** What expired for one person may have gone on to the next. */
const settles = ({ question, answer }: Answered): boolean =>
  SETTLING.includes(answer.decision) && !(answer.decision === 'expired' && isPassedOn(question));

/** A result that came after all says more than the clock, which only said that none had come. */
const isOvertaken = ({ answer }: Answered, facts: CallFacts, ledger: LedgerFacts): boolean =>
  answer.decision === 'expired' && ledger.entry?.state === 'done' && isOurs(facts, ledger);

/** The last record that the newest try had seen; one of another run has seen none of this log. */
const seenBy = ({ entry, runId }: LedgerFacts): number => (entry?.runId === runId ? entry.seen : 0);

/** Whether the newest try was made for this very call, and not for an equal one, or in another run. */
const isOurs = ({ reply, call }: CallFacts, { entry, runId }: LedgerFacts): boolean =>
  entry?.call === effectKey(runId, reply.seq, call.index);

/** A yes counts only for the very call that was shown, or for the arguments that were put in their place. */
const consents = (call: Call, { question, answer }: Answered): boolean =>
  question.kind === 'approval' && answer.decision === 'approve' && (answer.edit ?? question).inputHash === call.inputHash;

function settledBy(facts: CallFacts, { answer, by, question }: Answered, entry: EffectRecord | undefined): Result | undefined {
  const said = answer.comment ? `: ${answer.comment}` : '';
  switch (answer.decision) {
    case 'deny':
      return failure(facts, `Not run: ${by} denied this call${said}`, 0);
    case 'expired':
      return { ...failure(facts, EXPIRED[question.kind] ?? EXPIRED.approval, 0), ...effectOf(entry, known(entry)) };
    case 'skip':
      return { ...failure(facts, answer.comment ?? `Skipped by ${by}`, 0), ...effectOf(entry, known(entry)) };
    case 'done':
    case 'result':
      return {
        index: facts.call.index,
        ok: answer.ok ?? true,
        output: answer.output === undefined ? (answer.comment ?? '(done, no output known)') : answer.output,
        attempts: 0,
        ...effectOf(entry ?? ofLineage(facts), 'done'),
      };
    default:
      return undefined;
  }
}

const EXPIRED: { readonly [kind in Question['kind']]?: string } & { readonly approval: string } = {
  approval: 'Not run: nobody answered in time whether it may',
  question: 'Nobody answered in time',
  callback: 'No result came in time; whether the work was done is not known',
};

/** What is asked about may be settled by another run of the lineage before the answer comes: it is that effect all the same. */
const ofLineage = ({ call, met }: CallFacts) => met && { key: met.key, class: call.class };

/** What a person's word makes of an effect that had begun. */
const effectOf = (entry: Pick<EffectRecord, 'key' | 'class'> | undefined, state: 'done' | 'failed' | 'unknown') =>
  entry && entry.class !== 'read' ? { effect: { key: entry.key, state } } : {};

/** What the ledger knows of an effect: one that is only begun may have happened. */
const known = (entry: EffectRecord | undefined) => (entry?.state === 'done' || entry?.state === 'failed' ? entry.state : 'unknown');

/** A call that left its result to an equal one is told when a person gave that one other arguments. */
function noLongerSame({ reply, call }: CallFacts): string | undefined {
  const twin = call.sameAs === undefined ? undefined : reply.calls[call.sameAs];
  if (!twin || twin.inputHash === call.inputHash) return undefined;
  return `Not run: call ${twin.index} of this reply was the same, until a person gave it other arguments. Make this call again if it is still needed`;
}

function invalid(facts: CallFacts): Plan {
  const spent = spentOf(facts, undefined);
  if (spent >= facts.maxAttempts) return { do: 'ask', question: escalation(facts, spent) };
  return { do: 'settle', result: failure(facts, noLongerSame(facts) ?? (facts.call.invalid as string), spent + 1) };
}

function needsConsent(call: Call, { reason, risk, needs, ...terms }: ApprovalNeed): Plan {
  const text = `May ${call.tool} run? ${reason}`.trim();
  const more = { ...(risk ? { risk } : {}), ...(needs ? { needs } : {}), ...terms };
  return { do: 'ask', question: { kind: 'approval', ...about(call), text, choices: ['approve', 'deny'], ...more } };
}

/** What was of high risk, or for certain people to consent to, is so whatever is asked about it. */
const concern = ({ approval }: Call) => ({
  ...(approval?.risk ? { risk: approval.risk } : {}),
  ...(approval?.approvers ? { approvers: approval.approvers } : {}),
});

const about = ({ index, tool, input, inputHash }: Call) => ({ index, tool, input, inputHash });

/** The question that a call is. */
const asked = (call: Call, need: QuestionNeed): Question => ({
  kind: 'question',
  ...about(call),
  ...need,
  choices: ['result', 'skip', 'abort'],
});

/** The question by which a call waits for its result from outside. */
const awaited = ({ call }: CallFacts, { key }: EffectRecord): Question => ({
  kind: 'callback',
  key,
  ...about(call),
  text: `${call.tool} was begun, and its result comes from outside. It may be given by hand.`,
  choices: ['result', 'skip', 'abort'],
  ...call.callback,
});

function fromLedger(facts: CallFacts, ledger: LedgerFacts): Plan | undefined {
  const { entry } = ledger;
  if (!entry) return fromEarlier(facts);
  const ours = isOurs(facts, ledger);
  if (!ours && saidDone(facts, entry)) return fromEarlier({ ...facts, onRepeat: 'reuse' });
  if (isPast(facts, ledger)) return undefined;
  if (entry.inputHash !== facts.call.inputHash) return otherContent(facts, entry);
  if (entry.state === 'done' && !ours) return { do: 'settle', result: { ...fromEntry(facts, entry), reused: true } };
  if (entry.state === 'done' || entry.state === 'failed') return { do: 'settle', result: fromEntry(facts, entry) };
  if (entry.state === 'pending' && ours) return { do: 'ask', question: awaited(facts, entry) };
  if (entry.state === 'pending') return facts.met ? { do: 'take', seen: facts.seen } : { do: 'settle', result: elsewhere(facts, entry) };
  if (mayBeAlive(entry, ledger)) return { do: 'wait', until: lookAgain(entry, ledger.now) };
  return recovery(facts, ledger, entry);
}

/** The result is awaited by another call, which has the same business key or is equal. */
const elsewhere = (facts: CallFacts, { call }: EffectRecord): Result =>
  failure(facts, `Not run: call ${call} has begun this and waits for its result`, 0);

/** One key stands for one content: neither is the outcome of other arguments given for these, nor are these run under their key. */
function otherContent(facts: CallFacts, { key, call, state }: EffectRecord): Plan {
  const spent = spentOf(facts, undefined);
  if (spent >= facts.maxAttempts) return { do: 'ask', question: escalation(facts, spent) };
  const what = state === 'done' ? 'was done' : 'was begun';
  const sentence = `Not run: the key "${key}" stands for a call with other arguments, which ${what} (call ${call}). Give the same arguments, or what makes another key`;
  return { do: 'settle', result: failure(facts, sentence, spent + 1) };
}

/** Two tries at one effect side by side would take it from each other, and use up the budget for nothing. */
const mayBeAlive = ({ state, class: effect, deadline }: EffectRecord, { over, now }: LedgerFacts): boolean =>
  state === 'started' && effect !== 'read' && !over && deadline > now;

/** The longest pause between two looks at an attempt that may be alive, ms. */
const LOOK_MS = 15_000;

/** The attempt may end long before its deadline: the longer it has taken, the later the next look. */
const lookAgain = ({ startedAt, deadline }: EffectRecord, now: number): number =>
  Math.min(deadline, now + Math.min(LOOK_MS, Math.max(1_000, now - startedAt)));

/** What certainly did not happen for another call says nothing about this one, unless they are equal and of one reply. */
function isPast({ reply, call }: CallFacts, { entry, runId }: LedgerFacts): boolean {
  if (entry?.state !== 'failed') return false;
  return entry.inputHash !== call.inputHash || !entry.call.startsWith(`${runId}/${reply.seq}/`);
}

/** The log may know more than a shared entry: a person's word that it is done is in the log alone. */
const saidDone = ({ earlier }: CallFacts, entry: EffectRecord): boolean =>
  earlier?.result.effect?.state === 'done' && earlier.result.effect.key === entry.key;

/** An equal call that is done may give its output again, if the tool's author says so. */
function fromEarlier({ call, earlier, onRepeat }: CallFacts): Plan | undefined {
  if (onRepeat !== 'reuse' || earlier?.result.effect?.state !== 'done') return undefined;
  return { do: 'settle', result: { ...earlier.result, index: call.index, reused: true } };
}

/** A call that began and has no recorded outcome goes on by its class, unless a person said since that it was not done. */
function recovery(facts: CallFacts, ledger: LedgerFacts, entry: EffectRecord): Plan | undefined {
  if (facts.answers.some(({ answer, seq }) => answer.decision === 'not-done' && seq > seenBy(ledger))) return undefined;
  if (entry.class === 'reconcile') return { do: 'find', ...nextTry(facts, ledger) };
  return entry.class === 'once' ? { do: 'ask', question: outcomeUnknown(facts, entry.error) } : undefined;
}

function toRun(facts: CallFacts, ledger: LedgerFacts): Plan {
  const { attempt, seen } = nextTry(facts, ledger);
  return attempt === undefined ? { do: 'ask', question: escalation(facts, facts.maxAttempts) } : { do: 'run', attempt, seen };
}

/** The next try's number, or undefined when the budget is used up; a person's answer opens a new budget. */
function nextTry(facts: CallFacts, ledger: LedgerFacts) {
  const unmarked = ledger.begunUnmarked && !ledger.entry && grantOf(facts) === 0 ? 1 : 0;
  const spent = spentOf(facts, ledger) + unmarked;
  return { attempt: spent < facts.maxAttempts ? spent + 1 : undefined, seen: facts.seen };
}

/** The seq of the last answer that let the call try again, or 0. */
const grantOf = ({ answers }: CallFacts): number =>
  answers.findLast(({ answer }) => answer.decision === 'retry' || answer.decision === 'not-done')?.seq ?? 0;

function spentOf(facts: CallFacts, ledger: LedgerFacts | undefined): number {
  const grant = grantOf(facts);
  // A person had the run started over or branched off: its tries are its own.
  if (facts.met && ledger?.entry && ledger.entry.runId !== ledger.runId) return 0;
  if (ledger?.entry && !isPast(facts, ledger)) return grant > seenBy(ledger) ? 0 : ledger.entry.attempts;
  return grant > 0 ? 0 : facts.spentBefore;
}

/** The question asked when the tries at a call are used up. */
export function escalation({ call }: CallFacts, spent: number): Question {
  const text = `${call.tool} failed ${spent} times with these arguments. Retry it, give its result, skip it with a message to the model, or abort the run?`;
  return { kind: 'escalation', ...about(call), ...concern(call), text, choices: ['retry', 'result', 'skip', 'abort'] };
}

/** The question asked when nobody can tell whether an effect happened. */
export function outcomeUnknown({ call, met }: CallFacts, why = 'it was cut off'): Question {
  const begun = met ? `was begun by run ${met.runId}, under the key ${met.key},` : 'was begun';
  const text = `${call.tool} ${begun} and its outcome is unknown (${why}). Was it done (with what result), or not done and may run, or abort the run?`;
  const choices: Decision[] = ['done', 'not-done', 'abort'];
  return { kind: 'outcome-unknown', ...(met ? { key: met.key } : {}), ...about(call), ...concern(call), text, choices };
}

/** A result that says why there is no output. */
export const failure = ({ call }: Pick<CallFacts, 'call'>, sentence: string, attempts: number): Result => ({
  index: call.index,
  ok: false,
  output: sentence,
  attempts,
});

/** The result that a settled ledger entry stands for. */
export function fromEntry({ call }: Pick<CallFacts, 'call'>, entry: EffectRecord): Result {
  const { ok = false, output = entry.error ?? null, attempts, ms } = entry;
  return {
    index: call.index,
    ok,
    output,
    attempts,
    ...(ms === undefined ? {} : { ms }),
    ...(call.class === 'read'
      ? {}
      : { effect: { key: entry.key, state: entry.state === 'started' || entry.state === 'pending' ? 'unknown' : entry.state } as const }),
  };
}
