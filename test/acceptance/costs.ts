import assert from 'node:assert/strict';
import { LIMITS } from '../../bench/structure.ts';
import { EVENTS } from '../../shared/machine.ts';
import { apiClient } from '../support/api-client.ts';
import { executionOf } from './account.ts';
import { type Check, ONCE, type Tried } from './check.ts';
import { type AwsCall, callsAfter, lastCall, quiet, type Stage } from './stage.ts';

/** What a turn costs, by the platform's own count, from the first turn to the last. */
export const costCheck = (turns: number): Check => ({
  section: 'costs',
  name: `${turns} turns of one run`,
  run: (stage) => costOf(stage, turns),
});

/** A turn at each end of the run is left out: it starts the run, or ends it. */
const EDGE = 50;

async function costOf(stage: Stage, turns: number): Promise<Tried> {
  const api = apiClient(stage.url);
  const since = await lastCall(stage);
  const runId = await api.start('bench', { turns, tool: 'read_text' });
  while ((await api.show(runId)).status === 'running') await (await fetch(`${stage.url}/runs/${runId}?wait=20`)).text();
  await quiet(stage);
  assert.equal((await api.show(runId)).status, 'completed');
  await countHistory(stage, runId, turns);
  const costs = turnsOf(await callsAfter(stage, since), turns).map(costOfTurn);
  const [first, last] = [meanOf(costs.slice(1, EDGE + 1)), meanOf(costs.slice(-EDGE))];
  for (const what of ['reads', 'writes', 'bytesRead', 'bytesWritten'] as const)
    assert(last[what] <= first[what] * LIMITS.growth, `${what} grow from ${first[what]} to ${last[what]} a turn`);
  assert(first.reads + first.writes <= LIMITS.operations.read_text, `${first.reads} reads and ${first.writes} writes a turn`);
  return { ...ONCE, note: `a turn: 3 transitions, 12 events; turns 2-${EDGE + 1}: ${wordsOf(first)}; the last ${EDGE}: ${wordsOf(last)}` };
}

/** The last step has no call: ModelStep, its Choice and Completed, and the execution's own beginning and end. */
const LAST = { transitions: 3, events: EVENTS.task + EVENTS.choice + 2 + 2 };

async function countHistory(stage: Stage, runId: string, turns: number): Promise<void> {
  const executions = await stage.simulator.get<{ executionArn: string; events: number; transitions: number }[]>('executions');
  const found = executions.find(({ executionArn }) => executionArn === executionOf(stage, runId, 1));
  assert.equal(found?.transitions, LIMITS.transitions * turns + LAST.transitions, 'transitions of the run');
  assert.equal(found?.events, LIMITS.events * turns + LAST.events, 'events of the run');
}

/** Cuts the calls of the steps into turns: a model step and the tool step that answers it. */
function turnsOf(calls: readonly AwsCall[], turns: number): AwsCall[][] {
  const steps = calls.filter(({ by, operation }) => (by === 'model-step' || by === 'tool-step') && operation.startsWith('dynamodb.'));
  const invocations = [...Map.groupBy(steps, ({ requestId }) => requestId).values()];
  assert.equal(invocations.length, 2 * turns + 1, 'invocations of steps');
  return Array.from({ length: turns }, (_, i) => [...(invocations[2 * i] ?? []), ...(invocations[2 * i + 1] ?? [])]);
}

interface Cost {
  readonly reads: number;
  readonly writes: number;
  readonly bytesRead: number;
  readonly bytesWritten: number;
}

function costOfTurn(calls: readonly AwsCall[]): Cost {
  const [reads, writes] = [true, false].map((read) => calls.filter(({ operation }) => /\.(GetItem|Query)$/.test(operation) === read)) as [
    AwsCall[],
    AwsCall[],
  ];
  const bytes = (of: AwsCall[]) => of.reduce((sum, call) => sum + call.bytes, 0);
  return { reads: reads.length, writes: writes.length, bytesRead: bytes(reads), bytesWritten: bytes(writes) };
}

function meanOf(costs: readonly Cost[]): Cost {
  const mean = (of: (cost: Cost) => number) => costs.reduce((sum, cost) => sum + of(cost), 0) / costs.length;
  return {
    reads: mean((c) => c.reads),
    writes: mean((c) => c.writes),
    bytesRead: mean((c) => c.bytesRead),
    bytesWritten: mean((c) => c.bytesWritten),
  };
}

const wordsOf = ({ reads, writes, bytesRead, bytesWritten }: Cost) =>
  `${reads.toFixed(1)} reads of ${bytesRead.toFixed(0)} bytes, ${writes.toFixed(1)} writes of ${bytesWritten.toFixed(0)} bytes`;
