import { fitResults, roomBeside } from '../../shared/fit-results.ts';
import { editsOf, type Log } from '../../shared/log.ts';
import type { AskKind, Call, Question, Result } from '../../shared/record.ts';
import { appendAsk } from './append-ask.ts';
import { forgetSecrets } from './forget-secrets.ts';
import { heldBy } from './held.ts';
import { lastFailure } from './last-failure.ts';
import { append } from './log-store.ts';
import { readMeta, setWait } from './meta-store.ts';
import { isWornOut, openTurn, type Turn } from './open-turn.ts';
import { type CallOutcome, planOf, runCall } from './run-call.ts';
import type { Step } from './step.ts';

/** How often a step at work looks whether its run was cancelled, ms. */
const CANCEL_POLL_MS = 2_000;

/**
 * Answers the calls of the open reply. 1. Reads, in parallel. 2. What must be asked before any write runs. 3. Writes, in
 * order. 4. One `results` record. Stops early with an `ask` record, or to wait.
 */
export async function performTools(step: Step): Promise<Log> {
  const held = await heldBy(step);
  if ('ask' in held && held.ask.reason === 'pin-drift') return appendAsk(step.meta, step.log, held.ask);
  const watch = watchCancel(step.meta.runId);
  try {
    return await answerCalls(await openTurn(step, watch.signal));
  } finally {
    watch.stop();
  }
}

async function answerCalls(turn: Turn): Promise<Log> {
  const { reply } = turn;
  if (isWornOut(turn)) return ask(turn, 'escalation', 'step-fails', reply.calls.map(stuckBy(lastFailure(turn.state))));
  const reads = reply.calls.filter(isRead);
  const answered = turn.again ? await inOrder(turn, reads, false) : await Promise.all(reads.map((call) => runCall(turn, call)));
  const writes = reply.calls.filter((call) => !isRead(call));
  const rest = beside(turn, answered);
  const before = [...answered, ...(await questionsOf(rest, writes))];
  const stopped = await stop(turn, before);
  if (stopped) return stopped;
  const written = await inOrder(rest, writes, true);
  return (await stop(turn, written)) ?? record(turn, [...answered, ...written]);
}

/** A turn with the room that outcomes leave. */
const beside = (turn: Turn, outcomes: readonly CallOutcome[]): Turn => ({
  ...turn,
  room: roomBeside(
    turn.room,
    outcomes.flatMap(({ result }) => result ?? []),
  ),
});

const isRead = (call: Call) => call.class === 'read' || call.invalid !== undefined;

/** What must be asked about calls that have not run yet. One that has begun, and whose result comes later, holds up no other. */
async function questionsOf(turn: Turn, calls: Call[]): Promise<CallOutcome[]> {
  const plans = await Promise.all(calls.map((call) => planOf(turn, call)));
  return plans.flatMap((plan) => (plan.do === 'ask' && !isAwaited(plan) ? [{ question: plan.question }] : []));
}

const isAwaited = ({ question }: Pick<CallOutcome, 'question'>): boolean => question?.kind === 'callback';

/** Runs calls one after another; with `stopEarly` nothing runs after one that has to wait or to ask. */
async function inOrder(turn: Turn, calls: Call[], stopEarly: boolean): Promise<CallOutcome[]> {
  const outcomes: CallOutcome[] = [];
  let at = turn;
  for (const call of calls) {
    const outcome = await runCall(at, call);
    outcomes.push(outcome);
    at = beside(at, [outcome]);
    if (stopEarly && !outcome.result && !isAwaited(outcome)) break;
  }
  return outcomes;
}

/** Appends an ask, or sets a wait, if one of the outcomes needs it. */
async function stop(turn: Turn, outcomes: CallOutcome[]): Promise<Log | undefined> {
  const questions = outcomes.flatMap(({ question }) => question ?? []);
  const urgent = questions.filter(({ kind }) => kind !== 'callback');
  if (urgent.length > 0) return ask(turn, urgent[0]?.kind as AskKind, reasonOf(urgent), urgent);
  const waits = outcomes.flatMap(({ wait }) => wait ?? []);
  if (waits.length === 0) return questions.length > 0 ? ask(turn, 'callback', 'callback', questions) : undefined;
  const longest = waits.reduce((a, b) => (a.until > b.until ? a : b));
  await setWait(
    turn.meta,
    longest.until,
    longest.reason,
    waits.every(({ idle }) => idle),
  );
  return turn.log;
}

const REASONS: Partial<Record<AskKind, string>> = {
  approval: 'consent',
  'outcome-unknown': 'outcome-unknown',
  escalation: 'repeated-call',
};
const reasonOf = (questions: Question[]) => REASONS[questions[0]?.kind as AskKind] ?? 'question';

const ask = ({ meta, log, reply }: Turn, kind: AskKind, reason: string, questions: Question[]): Promise<Log> =>
  appendAsk(meta, log, { type: 'ask', kind, reason, reply: reply.seq, questions: inCallOrder(questions) });

const inCallOrder = (questions: Question[]) => questions.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0));

const stuckBy =
  (why: string) =>
  ({ index, tool, input, inputHash }: Call): Question => ({
    kind: 'escalation',
    index,
    tool,
    input,
    inputHash,
    text: `The step that runs ${tool} keeps failing.${why} Retry, give the call's result, skip it with a message to the model, or abort the run?`,
    choices: ['retry', 'result', 'skip', 'abort'],
  });

async function record({ meta, log, reply, room }: Turn, outcomes: CallOutcome[]): Promise<Log> {
  const edits = editsOf(log, reply);
  const results = outcomes.map(({ result }) => withEdit(result as Result, edits)).sort((a, b) => a.index - b.index);
  const fitted = fitResults(results, room.log);
  const recorded = await append(meta.runId, log, { type: 'results', reply: reply.seq, results: fitted });
  if (reply.calls.some(({ secrets }) => secrets)) await forgetSecrets(meta.runId, reply.seq);
  return recorded;
}

/** A result tells with which arguments its call ran, when they are not the model's own. */
function withEdit(result: Result, edits: ReturnType<typeof editsOf>): Result {
  const edited = edits.get(result.index);
  return edited ? { ...result, edited: { by: edited.by, input: edited.edit.input } } : result;
}

function watchCancel(runId: string): { signal: AbortSignal; stop: () => void } {
  const controller = new AbortController();
  const look = async () => {
    const meta = await readMeta(runId).catch(() => undefined);
    if (meta?.status === 'erased') controller.abort(new Error('The run was erased'));
    if (meta?.cancel) controller.abort(new Error(`The run was cancelled by ${meta.cancel.by}`));
  };
  const timer = setInterval(look, CANCEL_POLL_MS);
  return { signal: controller.signal, stop: () => clearInterval(timer) };
}
