import { finishingAt, limitReached, type PlannedStep } from './budget.ts';
import { badRepliesInARow, isBad, isEmpty, type Log, lastText, openReply } from './log.ts';
import { servedModels, strangeModel } from './pin-now.ts';
import type { Policy } from './policy.ts';
import {
  type Answer,
  type Ask,
  budgetName,
  type Draft,
  type End,
  type EndStatus,
  type Question,
  type Reply,
  type RunRecord,
} from './record.ts';
import { answersOf, isAnswered, isLate, isPassedOn, openAsk, passedOn, type Standing, standings } from './standing.ts';

/** What the log does not say: requests from outside, the clock, and how full the execution's history is. */
export interface Circumstances {
  readonly policy: Policy;
  /** What the next model step is about to spend; needed where the policy limits tokens or money. */
  readonly planned?: PlannedStep | undefined;
  /** Who asked for the run to be cancelled. */
  readonly cancelledBy?: string | undefined;
  /** The run that starts it over, for which it was cancelled. */
  readonly restartedAs?: string | undefined;
  /** Whether messages wait in the inbox. */
  readonly messages: boolean;
  /** No step before this time, ms since the epoch. */
  readonly waitUntil: number;
  readonly now: number;
  readonly events: number;
  readonly eventLimit: number;
  /** Whether a `repin` gave the run to another version of the code, which goes on in the next segment. */
  readonly handOver?: boolean;
}

/** What the loop does now. A draft is appended first, by the model step. */
export type Next =
  | { readonly next: 'model'; readonly take?: 'messages' }
  | { readonly next: 'tools'; readonly reply: Reply }
  | { readonly next: 'ask'; readonly draft?: Draft<Ask> | Draft<Answer> }
  | { readonly next: 'wait'; readonly until: number }
  | { readonly next: 'continue' }
  | { readonly next: 'end'; readonly status: EndStatus; readonly draft?: Draft<End> };

type Ending = Extract<Next, { next: 'end' }> & { readonly draft: Draft<End> };

/** The one rule of the loop. Pure: the same log and circumstances give the same answer. */
export function decide(log: Log, around: Circumstances): Next {
  const last = log.at(-1);
  if (!last) throw new RangeError('Cannot decide about an empty log: a run begins with its task');
  if (last.type === 'end') return afterEnd(last, around);
  if (around.cancelledBy !== undefined) return cancelled(around.cancelledBy, around.restartedAs);
  if (around.waitUntil > around.now) return { next: 'wait', until: around.waitUntil };
  if (around.handOver || around.events >= around.eventLimit) return { next: 'continue' };
  return afterRecord(log, last, around);
}

function afterRecord(log: Log, last: Exclude<RunRecord, End>, around: Circumstances): Next {
  switch (last.type) {
    case 'task':
    case 'user':
      return model(log, around);
    case 'results':
      return finished(log) ?? model(log, around);
    case 'reply':
      return servedAnother(log, around) ?? afterReply(log, last, around);
    case 'ask':
    case 'answer':
      return afterAsk(log, last, around);
  }
}

const afterReply = (log: Log, reply: Reply, around: Circumstances): Next =>
  reply.calls.length > 0 ? { next: 'tools', reply } : (finished(log) ?? afterText(log, reply, around));

/** A model that changes under a run is asked about before anything follows from what it said, unless the policy adopts it. */
function servedAnother(log: Log, { policy: { onDrift } }: Circumstances): Next | undefined {
  const model = strangeModel(log);
  if (model === undefined || typeof onDrift === 'object') return undefined;
  return { next: 'ask', draft: askServed(servedModels(log), model) };
}

const askServed = (before: readonly string[], model: string): Draft<Ask> => ({
  type: 'ask',
  kind: 'restart',
  reason: 'served-model',
  questions: [
    {
      kind: 'restart',
      text: `The provider served ${model} for the last reply, and ${before.join(' or ')} before. Nothing of that reply was done yet. Go on with both, restart as a new run, or abort?`,
      choices: ['repin', 'restart', 'abort'],
      offers: { of: 'served', model },
    },
  ],
});

const afterEnd = (end: End, { messages }: Circumstances): Next =>
  goesOn(end) && messages ? { next: 'model', take: 'messages' } : { next: 'end', status: end.status };

/** Whether a message opens the run again: a run that was stopped at a budget can be continued once that is raised. */
export const goesOn = ({ status, reason }: Pick<End, 'status' | 'reason'>): boolean =>
  status === 'completed' || (status === 'failed' && budgetName.safeParse(reason).success);

/** A run that was told to finish up ends with what it said last, whatever that is. */
function finished(log: Log): Next | undefined {
  const at = finishingAt(log);
  return at && ending('completed', at, lastText(log));
}

function model(log: Log, { policy, planned, messages, now }: Circumstances): Next {
  const last = log.at(-1);
  if (finishingAt(log)) return { next: 'model' };
  if (last?.type === 'results' && badRepliesInARow(log) >= policy.maxBadReplies) return outputLimit(policy);
  // Messages come first: one of them may raise a budget.
  if (messages) return { next: 'model', take: 'messages' };
  const limit = limitReached(log, policy, planned, now);
  return limit ? { next: 'ask', draft: limit } : { next: 'model' };
}

function afterText(log: Log, reply: Reply, around: Circumstances): Next {
  if (reply.finish === 'refused') return ending('failed', 'refused', reply.text || 'The model refused to answer');
  if (!isBad(reply)) return around.messages ? { next: 'model', take: 'messages' } : ending('completed', 'final-reply', reply.text);
  if (!isEmpty(reply)) return ending('failed', 'output-limit', reply.text);
  if (badRepliesInARow(log) < around.policy.maxBadReplies) return model(log, around);
  return ending('failed', 'empty-reply', `The model gave ${around.policy.maxBadReplies} empty replies in a row`);
}

const outputLimit = (policy: Policy): Next =>
  ending(
    'failed',
    'output-limit',
    `The model's reply was cut off at its output limit ${policy.maxBadReplies} times in a row; raise maxOutputTokens`,
  );

/** Waits for what is still open of an ask, closes what is too late, and goes on once it is answered. */
function afterAsk(log: Log, last: Ask | Answer, around: Circumstances): Next {
  const ask = last.type === 'ask' ? last : (log[last.ask - 1] as Ask);
  const standing = standings(ask, answersOf(log, ask));
  if (isAnswered(standing)) return afterAnswers(log, ask, standing, around);
  const late = standing.filter(({ question, settled }) => !settled && isLate(question, around.now));
  return late.length > 0 ? { next: 'ask', draft: expiry(ask, late) } : { next: 'ask' };
}

/** What the clock answers when nobody did. */
const expiry = ({ seq }: Ask, late: readonly Standing[]): Draft<Answer> => ({
  type: 'answer',
  ask: seq,
  by: 'the clock',
  via: 'clock',
  answers: late.map(({ question: { index } }) => ({ ...(index === undefined ? {} : { index }), decision: 'expired' })),
});

function afterAnswers(log: Log, ask: Ask, standing: readonly Standing[], around: Circumstances): Next {
  const settled = standing.flatMap((each) => each.settled ?? []);
  const aborted = settled.find(({ answer }) => answer.decision === 'abort');
  if (aborted) return ending('failed', 'aborted', aborted.answer.comment ?? `Aborted by ${aborted.by}`);
  const stopped = settled.find(({ answer }) => answer.decision === 'stop');
  if (stopped) return ending('failed', ask.questions[0]?.budget?.name ?? 'stopped', lastText(log) || `Stopped by ${stopped.by}`);
  // Whoever said so starts the new run, for which this one is cancelled: a segment that comes before finds out what became of it.
  if (settled.some(({ answer }) => answer.decision === 'restart')) return { next: 'continue' };
  const expired = settled.filter(({ answer }) => answer.decision === 'expired').map(({ question }) => question);
  if (expired.some((question) => !isPassedOn(question) && question.onExpiry === 'stop'))
    return ending('failed', 'ask-expired', 'Nobody answered in time');
  const others = expired.filter(isPassedOn);
  if (others.length > 0) return { next: 'ask', draft: escalated(ask, others, around.now) };
  const about = log[ask.seq - 2];
  if (ask.kind === 'restart' && about?.type === 'reply') return servedAnother(log, around) ?? afterReply(log, about, around);
  const reply = openReply(log);
  return reply ? { next: 'tools', reply } : model(log, around);
}

/** The same questions, to the next in line. */
const escalated = ({ kind, reply }: Ask, questions: readonly Question[], now: number): Draft<Ask> => ({
  type: 'ask',
  kind,
  reason: 'escalated',
  ...(reply === undefined ? {} : { reply }),
  questions: questions.map((question) => passedOn(question, now)),
});

/** The end of a run that somebody cancelled, to start it over or for good. */
export const cancelled = (by: string, restartedAs?: string): Ending =>
  restartedAs === undefined
    ? ending('cancelled', 'cancelled', `Cancelled by ${by}`)
    : ending('cancelled', 'restarted', `Started over by ${by}, as run ${restartedAs}`);

const ending = (status: EndStatus, reason: string, text: string): Ending => ({
  next: 'end',
  status,
  draft: { type: 'end', status, reason, text },
});

/** Names the step that writes the record after this log, whatever the circumstances. */
export function stepAfter(log: Log): 'model' | 'tools' | 'answer' | 'none' {
  const last = log.at(-1);
  if (!last || last.type === 'end') return 'none';
  if (openAsk(log)) return 'answer';
  return openReply(log) ? 'tools' : 'model';
}
