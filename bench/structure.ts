import type { Execution } from '../infra/local/execution.ts';
import { startHost } from '../infra/local/host.ts';
import type { Load } from './agents.ts';
import { payloadBytes } from './load.ts';
import { AGENTS } from './machine.ts';
import { type Operation, startMeter } from './meter.ts';
import { startRun, untilOver } from './run.ts';
import { type Growth, tenthsOf } from './statistics.ts';
import { withFolder } from './temporary-folder.ts';

/** What a turn costs, whatever machine it runs on. */
export interface Structure {
  /** The most operations on the tables that a turn made. */
  readonly operations: number;
  /** The operations of a turn by name. */
  readonly byName: Readonly<Record<string, number>>;
  /** Bytes written a turn. */
  readonly bytes: Growth;
  /** The same as a multiple of the turn's payload. */
  readonly multiple: Growth;
  readonly transitions: number;
  readonly events: number;
  /** The largest state of the execution, bytes. */
  readonly stateBytes: number;
}

/** What a turn may cost. */
export const LIMITS = {
  operations: { read_text: 6, write_text: 10 },
  multiple: 1.5,
  growth: 1.02,
  transitions: 3,
  events: 12,
  stateBytes: 1024,
};

/** One segment for the whole run: the switch to the next one, once in 1,500 turns, is not part of a turn. */
const ONE_SEGMENT = 1_000_000;

/** Measures a run with a meter between the functions and the tables; its times mean nothing. */
export const measureStructure = (turns: number, tool: Load['tool']): Promise<Structure> =>
  withFolder(async (dataDir) => {
    const meter = await startMeter(() => host.endpoints.store);
    const environment = { AWS_ENDPOINT_URL_DYNAMODB: meter.url };
    const host = await startHost({ dataDir, port: 0, agents: AGENTS, environment, eventLimit: ONE_SEGMENT, sweepMs: 0 });
    try {
      const runId = await startRun(host.url, { turns, tool });
      const { executions } = await untilOver(host.info, runId);
      return structureOf(turnsOf(meter.operations), executions.find(({ name }) => name.startsWith(runId)) as Execution, turns);
    } finally {
      await host.stop();
      meter.close();
    }
  });

/** Cuts the operations into turns: each ends when the results of its call are put. The first also starts the run and is left out. */
function turnsOf(operations: readonly Operation[]): Operation[][] {
  const turns: Operation[][] = [[]];
  for (const operation of operations) {
    turns.at(-1)?.push(operation);
    if (operation.record === 'results') turns.push([]);
  }
  return turns.slice(1, -1);
}

function structureOf(turns: readonly Operation[][], execution: Execution, count: number): Structure {
  const bytes = turns.map((turn) => turn.reduce((sum, operation) => sum + operation.bytes, 0));
  const names = Map.groupBy(turns.at(-1) ?? [], ({ name }) => name);
  // The run's last step has no call: ModelStep, its Choice and Completed.
  const [lastTransitions, lastEvents] = [3, 11];
  return {
    operations: Math.max(...turns.map((turn) => turn.length)),
    byName: Object.fromEntries([...names].map(([name, each]) => [name, each.length])),
    bytes: tenthsOf(bytes),
    multiple: tenthsOf(bytes.map((each, i) => each / payloadBytes(i + 1))),
    transitions: (execution.transitions - lastTransitions) / count,
    events: (execution.events - lastEvents) / count,
    stateBytes: execution.maxStateBytes,
  };
}

/** Names each limit that a turn exceeds. */
export function excesses({ operations, bytes, multiple, transitions, events, stateBytes }: Structure, tool: Load['tool']): string[] {
  const checks: [string, number, number][] = [
    ['store operations a turn', operations, LIMITS.operations[tool]],
    ['growth of bytes a turn', bytes.ratio, LIMITS.growth],
    ['bytes a turn as a multiple of the payload', multiple.last, tool === 'read_text' ? LIMITS.multiple : Number.POSITIVE_INFINITY],
    ['transitions a turn', transitions, LIMITS.transitions],
    ['events a turn', events, LIMITS.events],
    ['bytes of state', stateBytes, LIMITS.stateBytes],
  ];
  return checks
    .filter(([, found, limit]) => !(found <= limit))
    .map(([what, found, limit]) => `${tool}: ${what}: ${found}, and the limit is ${limit}`);
}
