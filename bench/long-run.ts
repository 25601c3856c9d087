import { readFileSync } from 'node:fs';
import type { Execution } from '../infra/local/execution.ts';
import { type HostInfo, startHost } from '../infra/local/host.ts';
import type { RunRecord } from '../shared/record.ts';
import { AGENTS } from './machine.ts';
import { type Operation, startMeter } from './meter.ts';
import { recordsOf, startRun, untilOver } from './run.ts';
import { type Growth, meansOf, paceOf } from './statistics.ts';
import { withFolder } from './temporary-folder.ts';

/** What a run of very many turns costs, summaries and later segments included. */
export interface LongRun {
  readonly turns: number;
  /** ms a turn; the meter between functions and tables is in it. */
  readonly pace: Growth;
  /** Bytes written, bytes read and operations a turn. */
  readonly written: Growth;
  readonly read: Growth;
  readonly operations: Growth;
  readonly summaries: number;
  readonly segments: Counted;
  /** History events of all segments. */
  readonly events: Counted;
  /** Records that the API gives of the one run. */
  readonly records: Counted;
  /** Memory of the workers when a tenth of the turns was done, and at the end, MiB. */
  readonly workersMiB: Growth;
}

/** What was found, and what arithmetic says. */
export interface Counted {
  readonly found: number;
  readonly predicted: number;
}

/** Events of a segment after which the next one begins: a tenth of Step Functions' own limit, so that there are many. */
const EVENT_LIMIT = 2_500;

/** Plays a run of so many turns with a summary every few dozen turns, in many segments. */
export const measureLongRun = (turns: number): Promise<LongRun> =>
  withFolder(async (dataDir) => {
    const meter = await startMeter(() => host.endpoints.store);
    const environment = { AWS_ENDPOINT_URL_DYNAMODB: meter.url };
    const host = await startHost({ dataDir, port: 0, agents: AGENTS, environment, eventLimit: EVENT_LIMIT, sweepMs: 0 });
    try {
      const runId = await startRun(host.url, { turns, tool: 'read_text' }, 'bench-long');
      const early = await memoryAfter(turns / 10, meter.operations, host.info);
      const { executions } = await untilEnded(host, runId);
      const late = workersMiB(host.info());
      const records = await recordsOf(host.url, runId);
      const summaries = await summariesOf(host.url, runId);
      return {
        turns,
        ...costsOf(turnsOf(meter.operations), records),
        ...countsOf(executions, runId, { turns, records, summaries }),
        workersMiB: { first: early, last: late, ratio: late / early },
      };
    } finally {
      await host.stop();
      meter.close();
    }
  });

async function untilEnded(host: { url: string; info: () => HostInfo }, runId: string): Promise<HostInfo> {
  for (;;) {
    await untilOver(host.info, runId, 500);
    const { status } = (await (await fetch(`${host.url}/runs/${runId}`)).json()) as { status: string };
    if (status === 'completed') return host.info();
  }
}

/** Cuts the operations into turns: each ends when the results of its call are put. */
function turnsOf(operations: readonly Operation[]): Operation[][] {
  const turns: Operation[][] = [[]];
  for (const operation of operations) {
    turns.at(-1)?.push(operation);
    if (operation.record === 'results') turns.push([]);
  }
  return turns.slice(1, -1);
}

function costsOf(turns: readonly Operation[][], records: readonly RunRecord[]): Pick<LongRun, 'pace' | 'written' | 'read' | 'operations'> {
  const sum = (turn: readonly Operation[], of: (operation: Operation) => number) => turn.reduce((all, each) => all + of(each), 0);
  return {
    pace: paceOf(records.filter(({ type }) => type === 'reply').map(({ at }) => at)),
    written: meansOf(turns.map((turn) => sum(turn, ({ bytes }) => bytes))),
    read: meansOf(turns.map((turn) => sum(turn, ({ read }) => read))),
    operations: meansOf(turns.map((turn) => turn.length)),
  };
}

/** When each summary was made, ms since the epoch, in order. */
async function summariesOf(url: string, runId: string): Promise<number[]> {
  const { summaries } = (await (await fetch(`${url}/runs/${runId}/summaries`)).json()) as { summaries: { at: number }[] };
  return summaries.map(({ at }) => at).toSorted((a, b) => a - b);
}

interface Made {
  readonly turns: number;
  readonly records: readonly RunRecord[];
  readonly summaries: readonly number[];
}

function countsOf(
  executions: readonly Execution[],
  runId: string,
  made: Made,
): Pick<LongRun, 'summaries' | 'segments' | 'events' | 'records'> {
  const mine = executions.filter(({ name }) => name.startsWith(runId));
  const predicted = segmentsOf(made);
  const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);
  return {
    summaries: made.summaries.length,
    segments: { found: mine.length, predicted: predicted.length },
    events: { found: sum(mine.map(({ events }) => events)), predicted: sum(predicted) },
    // The task, two records a turn, the last reply and the end.
    records: { found: made.records.length, predicted: 2 * made.turns + 3 },
  };
}

/** Events of a model step with its Choice, of a tool step, of the start of an execution, and of what ends one. */
const EVENTS = { model: 7, tools: 5, start: 1, continued: 8, completed: 3 };

/** The events of each segment: a segment ends at the first model step that finds the limit reached. */
function segmentsOf({ records, summaries }: Made): number[] {
  const segments: number[] = [];
  let events = EVENTS.start;
  const model = () => {
    events += EVENTS.model;
    if (events < EVENT_LIMIT) return;
    segments.push(events + EVENTS.continued);
    events = EVENTS.start + EVENTS.model;
  };
  let summed = 0;
  for (const { type, at } of records) {
    if (type !== 'reply' && type !== 'results') continue;
    for (; type === 'reply' && summed < summaries.length && (summaries[summed] as number) <= at; summed++) model();
    if (type === 'reply') model();
    else events += EVENTS.tools;
  }
  return [...segments, events + EVENTS.completed];
}

/** Looks at the workers' memory once so many turns are done. */
async function memoryAfter(turns: number, operations: readonly Operation[], info: () => HostInfo): Promise<number> {
  for (;;) {
    if (operations.filter(({ record }) => record === 'results').length >= turns) return workersMiB(info());
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Memory that the workers have now, MiB; not a number where there is no /proc. */
const workersMiB = ({ workers }: HostInfo): number =>
  Object.values(workers)
    .flat()
    .reduce((sum, pid) => sum + residentMiB(pid), 0);

function residentMiB(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  } catch {
    return Number.NaN;
  }
}

/** The most that the last tenth of a long run may cost, as a multiple of the first, for what no machine changes. */
const MOST_GROWTH = 1.05;
/** Turns from which on that holds: the first turns of all have no summaries, which tells in a short run. */
const LONG = 1_000;

/** Names what is not flat, or not as arithmetic says. */
export function unflat({ turns, written, read, operations, segments, events, records }: LongRun): string[] {
  const growths = Object.entries({ written, read, operations })
    .filter(([, { ratio }]) => turns >= LONG && !(ratio <= MOST_GROWTH))
    .map(([what, { ratio }]) => `a long run: ${what} a turn grows by ${ratio.toFixed(3)}, and the limit is ${MOST_GROWTH}`);
  const counts = Object.entries({ segments, events, records })
    .filter(([, { found, predicted }]) => found !== predicted)
    .map(([what, { found, predicted }]) => `a long run: ${found} ${what}, and arithmetic says ${predicted}`);
  return [...growths, ...counts];
}
