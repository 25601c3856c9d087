import { type Circumstances, decide, type Next, stepAfter } from '../../shared/decide.ts';
import { UnreadableItemError } from '../../shared/errors.ts';
import { hasSecrets } from '../../shared/has-secrets.ts';
import { type Log, takenMessages } from '../../shared/log.ts';
import { EVENTS, type ExecutionState, executionState, type Outcome, type StepOutput } from '../../shared/machine.ts';
import type { Meta } from '../../shared/meta.ts';
import { pinNow } from '../../shared/pin-now.ts';
import type { End } from '../../shared/record.ts';
import { appendAsk } from './append-ask.ts';
import { beginRestart } from './begin-restart.ts';
import { finishRun } from './finish-run.ts';
import { forgetAtEnd } from './forget-secrets.ts';
import { takeInbox } from './inbox.ts';
import type { Invocation } from './invocation.ts';
import { append, readLog } from './log-store.ts';
import { beginStep, isEnded, mustRead, strikeMessages, takeOver, uncount } from './meta-store.ts';
import { noteOver } from './note-over.ts';
import { plannedStep } from './planned-step.ts';
import { settings } from './settings.ts';

/** One invocation of a step: where the run stands, and what the platform said. */
export interface Step {
  readonly state: ExecutionState;
  readonly log: Log;
  readonly meta: Meta;
  readonly invocation: Invocation;
}

/** What a step does: appends its record and returns the log with it, or returns it unchanged to wait. */
export type Perform = (step: Step) => Promise<Log>;

type Kind = 'model' | 'tools';

/**
 * The shell of both steps. 1. Read the log. 2. Count the attempt, durably, if the log says that this step is next.
 * 3. Decide. 4. Perform once, if that is the answer. 5. Decide again and tell the state machine.
 */
export async function runStep(kind: Kind, event: unknown, invocation: Invocation, perform: Perform): Promise<StepOutput> {
  const state = executionState.parse(event);
  const events = eventsSoFar(kind, state, event);
  let log = await readLog(state.runId);
  if (log.length === 0) {
    const meta = await current(state);
    if (meta.segment === state.segment) log = await beginRestart(meta);
    if (log.length === 0) return notBegun(state, events, await mustRead(state.runId));
  }
  if (log.length < state.cursor)
    throw new UnreadableItemError(
      `Cannot read the log of run "${state.runId}": it ends at record ${log.length}, and a step has seen record ${state.cursor}`,
    );
  let { meta, marked } = await beginCurrent(kind, state, log);
  let performed = false;
  let refused = 0;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    if (meta.segment !== state.segment) return output(state, log, events, { next: 'end', outcome: 'superseded' });
    // A segment that begins afresh would not know how the last invocation ended: that is settled first. A tool step that has
    // been begun does its work: the model step after it ends the segment.
    const next = decide(log, circumstances(meta, log, state.failure || kind === 'tools' ? 0 : events));
    if (next.next === 'end' && next.draft) await noteOver(state.runId, log, state);
    const prepared = await prepare(next, { meta, marked, log, kind });
    if (prepared) {
      ({ log, meta } = prepared);
      continue;
    }
    if (next.next === 'continue' && marked && !performed) await uncount(meta);
    if (next.next !== kind || performed) return output(state, log, events, toldOf(next, performed));
    if (!marked) {
      ({ meta, marked } = await begin(kind, state, log));
      if (!marked && ++refused > 2) throw new Error(`Cannot begin step "${kind}" of run "${meta.runId}": its status is ${meta.status}`);
      continue;
    }
    log = await perform({ state, log, meta, invocation });
    performed = true;
    if (kind === 'tools') return output(state, log, events, { next: 'model', performed });
    if (log.at(-1)?.type !== 'reply') meta = await mustRead(state.runId);
  }
  throw new Error(`Cannot bring run "${state.runId}" forward: it was still being prepared after ${MAX_ROUNDS} rounds`);
}

/** Messages can keep arriving while a run ends; each round takes all there are. */
const MAX_ROUNDS = 50;

/** A run that starts another over has no record before that one is over. The first step of a newer segment takes it over. */
async function current({ runId, segment }: ExecutionState): Promise<Meta> {
  if ((await mustRead(runId)).segment < segment) await takeOver(runId, segment);
  return mustRead(runId);
}

function notBegun(state: ExecutionState, events: number, { segment, waitUntil }: Meta): StepOutput {
  if (segment !== state.segment) return output(state, [], events, { next: 'end', outcome: 'superseded' });
  if (events >= settings().eventLimit) return output(state, [], events, { next: 'continue' });
  return output(state, [], events, toldOf({ next: 'wait', until: waitUntil }, true));
}

/** Begins a step; the first one of a newer segment takes the run over before. */
async function beginCurrent(kind: Kind, state: ExecutionState, log: Log): Promise<{ meta: Meta; marked: boolean }> {
  const begun = await begin(kind, state, log);
  if (begun.meta.segment >= state.segment) return begun;
  await takeOver(state.runId, state.segment);
  return begin(kind, state, log);
}

async function begin(kind: Kind, state: ExecutionState, log: Log): Promise<{ meta: Meta; marked: boolean }> {
  const { runId, segment } = state;
  if (stepAfter(log) !== kind) return { meta: await mustRead(runId), marked: false };
  return beginStep({ runId, segment, step: `${kind}:${log.length}`, now: Date.now(), log });
}

interface Begun {
  readonly meta: Meta;
  /** Whether the attempt is counted. */
  readonly marked: boolean;
  readonly log: Log;
  readonly kind: Kind;
}

/** Appends what decide drafted and takes messages in; returns undefined when there is nothing to prepare. */
async function prepare(next: Next, { meta, marked, log, kind }: Begun): Promise<{ log: Log; meta: Meta } | undefined> {
  if (kind === 'tools') return undefined;
  // An inbox that cannot be read must not keep a step that is worn out from asking.
  const wornOut = marked && meta.attempts > meta.policy.maxModelAttempts;
  if (next.next === 'model' && next.take) return wornOut ? undefined : takeInbox(meta, log);
  if (next.next === 'ask' && next.draft) {
    const { draft } = next;
    return { log: await (draft.type === 'ask' ? appendAsk(meta, log, draft) : append(meta.runId, log, draft)), meta };
  }
  if (next.next !== 'end') return undefined;
  if (isEnded(meta)) return strikeTaken(meta, log);
  // Messages may have been taken in after an end that was there already, by a step that META told of no more.
  const ended = next.draft ? await append(meta.runId, log, next.draft) : await readLog(meta.runId);
  if (ended.at(-1)?.type !== 'end') return { log: ended, meta };
  // While it is not finished, a step that was cut off here comes again.
  if (hasSecrets(ended)) await forgetAtEnd(meta.runId, ended);
  const finished = await finishRun(meta, ended.at(-1) as End, ended);
  const now = await mustRead(meta.runId);
  if (finished) return { log: ended, meta: now };
  const whole = await readLog(meta.runId);
  return (await strikeTaken(now, whole)) ?? { log: whole, meta: now };
}

/** A message can be noted after it was taken in, and is when it is sent again: left there, it would seem unread. */
async function strikeTaken({ runId, inbox }: Meta, log: Log): Promise<{ log: Log; meta: Meta } | undefined> {
  if (!inbox?.size) return undefined;
  const taken = takenMessages(log);
  const stale = [...inbox].filter((id) => taken.has(id));
  if (stale.length === 0) return undefined;
  await strikeMessages(runId, stale);
  return { log, meta: await mustRead(runId) };
}

function circumstances(meta: Meta, log: Log, events: number): Circumstances {
  const { policy, cancel, waitUntil } = meta;
  return {
    policy,
    planned: plannedStep({ ...meta, pin: pinNow(meta.pin, log) }),
    cancelledBy: cancel?.by,
    restartedAs: cancel?.restart,
    waitUntil,
    messages: hasNews(meta, log),
    now: Date.now(),
    events,
    eventLimit: settings().eventLimit,
    handOver: pinNow(meta.pin, log).machine !== meta.pin.machine,
  };
}

function hasNews({ inbox, restartedAs }: Meta, log: Log): boolean {
  if (!inbox?.size || restartedAs !== undefined) return false;
  const taken = takenMessages(log);
  return [...inbox].some((id) => !taken.has(id));
}

/** What a failed invocation leaves in the history: its state, and the way back through Crashed, FailureLimit and Backoff. */
const EVENTS_OF_A_CRASH = EVENTS.task + EVENTS.pass + EVENTS.choice + EVENTS.wait;

/** Counts the history as Step Functions writes it: this state and its Choice, throttled tries, and a failure before it. */
function eventsSoFar(kind: Kind, { events, failures, failure }: ExecutionState, event: unknown): number {
  const retries = Number((event as { retries?: unknown })?.retries ?? 0) || 0;
  const state = events + EVENTS.task + retries * EVENTS.retry;
  if (kind === 'tools') return state;
  return state + EVENTS.choice + (failure ? failures * EVENTS_OF_A_CRASH : 0);
}

interface Told {
  readonly next: StepOutput['next'];
  readonly outcome?: Outcome;
  readonly waitSeconds?: number;
  readonly performed?: boolean;
}

function toldOf(next: Next, performed: boolean): Told {
  if (next.next === 'end') return { next: 'end', outcome: next.status };
  if (next.next === 'wait') return { next: 'wait', waitSeconds: Math.max(1, Math.ceil((next.until - Date.now()) / 1000)), performed };
  return { next: next.next, performed: performed || next.next === 'ask' };
}

/** A step that only passes on to the other one passes the report of a failed invocation on with it. */
function output(
  state: ExecutionState,
  log: Log,
  events: number,
  { next, outcome = 'none', waitSeconds = 0, performed = true }: Told,
): StepOutput {
  const { runId, segment, failures, failure } = state;
  const more = next === 'ask' ? EVENTS.callbackTask : next === 'wait' ? EVENTS.wait : 0;
  const told = performed || next === 'end' ? { failures: 0, failure: null } : { failures, failure };
  return { runId, segment, cursor: log.length, events: events + more, ...told, next, outcome, waitSeconds };
}
