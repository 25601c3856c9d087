import assert from 'node:assert/strict';
import { LIMITS } from '../../bench/structure.ts';
import { EVENTS, STATE, type StepOutput } from '../../shared/machine.ts';
import { type Check, ONCE, type Tried } from './check.ts';
import type { Stage } from './stage.ts';

/** What must hold of everything that was done on a stage. */
export const PLATFORM_CHECKS: readonly Check[] = [
  { section: 'platform', name: 'no call lacked a permission', run: nothingDenied },
  { section: 'platform', name: 'the simulator itself did not fail', run: noProblem },
  { section: 'platform', name: 'executions carry a cursor and no bodies', run: smallStates },
  { section: 'platform', name: 'the count of events in the cursor is that of the history', run: sameCounts },
];

async function nothingDenied({ simulator }: Stage): Promise<Tried> {
  assert.deepEqual(await simulator.get('denied'), []);
  return ONCE;
}

async function noProblem({ simulator }: Stage): Promise<Tried> {
  const { problems } = await simulator.get<{ problems: unknown[] }>('problems');
  assert.deepEqual(problems, []);
  return ONCE;
}

/** The part of a history event that is looked at. */
interface HistoryEvent {
  readonly id: number;
  readonly type: string;
  readonly stateEnteredEventDetails?: { readonly name: string };
  readonly stateExitedEventDetails?: { readonly name: string; readonly output?: string };
}

async function historiesOf({ simulator }: Stage): Promise<HistoryEvent[][]> {
  const executions = await simulator.get<{ executionArn: string }[]>('executions');
  const histories: HistoryEvent[][] = [];
  for (const { executionArn } of executions) histories.push(await simulator.get(`history?execution=${executionArn}`));
  return histories;
}

/** The longest text that an event carries, bytes. */
const largestIn = (event: object): number =>
  Math.max(
    0,
    ...Object.values(event).map((value) =>
      typeof value === 'string' ? Buffer.byteLength(value) : value && typeof value === 'object' ? largestIn(value) : 0,
    ),
  );

async function smallStates(stage: Stage): Promise<Tried> {
  const events = (await historiesOf(stage)).flat().map((event) => ({ event, bytes: largestIn(event) }));
  const largest = events.reduce((a, b) => (a.bytes > b.bytes ? a : b));
  assert(largest.bytes < LIMITS.stateBytes, `an event carries ${largest.bytes} bytes: ${JSON.stringify(largest.event)}`);
  return { ...ONCE, note: `${events.length} events, of at most ${largest.bytes} bytes` };
}

/**
 * Where a task failed the count may be too high, by the steps that its execution was spared. It is too low only by the
 * throttled tries of an Ask, which no step is told of.
 */
async function sameCounts(stage: Stage): Promise<Tried> {
  const told = (await historiesOf(stage)).flatMap(countsIn);
  const wrong = told.filter(({ real, counted, failed, untold }) => (failed ? real > counted + untold : real !== counted));
  assert.deepEqual(wrong, []);
  return { ...ONCE, note: `${told.length} steps` };
}

/** What model steps that succeeded said of the history up to the next step: their Choice, and a wait for people or time. */
function countsIn(history: readonly HistoryEvent[]) {
  const failed = history.some(({ type }) => type === 'TaskFailed');
  let [state, untold]: [string | undefined, number] = [undefined, 0];
  return history.flatMap(({ id, type, stateEnteredEventDetails: entered, stateExitedEventDetails: exited }, i) => {
    state = entered?.name ?? state;
    if (state === STATE.ask && type === 'TaskFailed') untold += EVENTS.retry;
    if (exited?.name !== STATE.model || !exited.output || history[i - 1]?.type !== 'TaskSucceeded') return [];
    const { runId, segment, events, next, outcome } = JSON.parse(exited.output) as StepOutput;
    // A step of a run that was erased ends its execution, and counts no more.
    if (outcome === 'superseded') return [];
    const more = next === 'ask' ? EVENTS.callbackTask : next === 'wait' ? EVENTS.wait : 0;
    return [{ runId, segment, real: id + EVENTS.choice + more, counted: events, failed, untold }];
  });
}
