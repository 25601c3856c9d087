import { type Agent, DEFAULT_ASK_SECONDS } from '../../shared/agent.ts';
import { fitResults } from '../../shared/fit-results.ts';
import type { Log } from '../../shared/log.ts';
import type { AskKind, Call, Question, Reply, Result } from '../../shared/record.ts';
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
  const before = [...answered, ...(await questionsOf(turn, writes))];
  const stopped = await stop(turn, before);
  if (stopped) return stopped;
  const written = await inOrder(turn, writes, true);
  return (await stop(turn, written)) ?? record(turn, [...answered, ...written]);
}

const isRead = (call: Call) => call.class === 'read' || call.invalid !== undefined;

/** What must be asked about calls that have not run yet. */
async function questionsOf(turn: Turn, calls: Call[]): Promise<CallOutcome[]> {
  const plans = await Promise.all(calls.map((call) => planOf(turn, call)));
  return plans.flatMap((plan) => (plan.do === 'ask' ? [{ question: plan.question }] : []));
}

/** Runs calls one after another; with `stopEarly` nothing runs after one that has to wait or to ask. */
async function inOrder(turn: Turn, calls: Call[], stopEarly: boolean): Promise<CallOutcome[]> {
  const outcomes: CallOutcome[] = [];
  for (const call of calls) {
    const outcome = await runCall(turn, call);
    outcomes.push(outcome);
    if (stopEarly && !outcome.result) break;
  }
  return outcomes;
}

/** Appends an ask, or sets a wait, if one of the outcomes needs it. */
async function stop(turn: Turn, outcomes: CallOutcome[]): Promise<Log | undefined> {
  const questions = outcomes.flatMap(({ question }) => question ?? []);
  if (questions.length > 0) return ask(turn, questions[0]?.kind as AskKind, reasonOf(questions), questions);
  const waits = outcomes.flatMap(({ wait }) => wait ?? []);
  if (waits.length === 0) return undefined;
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

function ask({ meta, log, reply, agent }: Turn, kind: AskKind, reason: string, questions: Question[]): Promise<Log> {
  const terms = kind === 'approval' ? termsOf(reply, questions, agent) : {};
  return append(meta.runId, log, { type: 'ask', kind, reason, reply: reply.seq, questions: inCallOrder(questions), ...terms });
}

/** Who may consent and until when: everybody that a call names, and the earliest of its times. */
function termsOf(reply: Reply, questions: Question[], agent: Agent | undefined) {
  const needs = questions.flatMap(({ index }) => reply.calls[index ?? -1]?.approval ?? []);
  const approvers = [...new Set(needs.flatMap((need) => need.approvers ?? agent?.asks?.approvers ?? []))];
  const usual = agent?.asks?.expiresAfterSeconds ?? DEFAULT_ASK_SECONDS;
  const seconds = Math.min(...(needs.length > 0 ? needs : [{ expiresInSeconds: usual }]).map((need) => need.expiresInSeconds ?? usual));
  return { ...(approvers.length > 0 ? { approvers } : {}), expiresAt: Date.now() + seconds * 1000 };
}

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

function record({ meta, log, reply }: Turn, outcomes: CallOutcome[]): Promise<Log> {
  const results = outcomes.map(({ result }) => result as Result).sort((a, b) => a.index - b.index);
  return append(meta.runId, log, { type: 'results', reply: reply.seq, results: fitResults(results) });
}

function watchCancel(runId: string): { signal: AbortSignal; stop: () => void } {
  const controller = new AbortController();
  const look = async () => {
    const meta = await readMeta(runId).catch(() => undefined);
    if (meta?.cancel) controller.abort(new Error(`The run was cancelled by ${meta.cancel.by}`));
  };
  const timer = setInterval(look, CANCEL_POLL_MS);
  return { signal: controller.signal, stop: () => clearInterval(timer) };
}
