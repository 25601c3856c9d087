import { readFileSync } from 'node:fs';
import type { HostInfo } from '../infra/local/host.ts';
import { startMachine } from './machine.ts';
import { recordsOf, startRun, untilOver } from './run.ts';
import { type Growth, paceOf } from './statistics.ts';
import { bytesIn, withFolder } from './temporary-folder.ts';

/** How fast the turns of a long run are, and what it takes besides. */
export interface Speed {
  /** ms a turn. */
  readonly pace: Growth;
  /** Operations on the tables a turn by name, as the host counts them: with the start of the run and its later segments. */
  readonly operations: Readonly<Record<string, number>>;
  /** The largest state of its executions, bytes. */
  readonly stateBytes: number;
  /** Peak resident memory, MiB. */
  readonly hostMiB: number;
  readonly workersMiB: number;
  /** Bytes of the tables' folder a turn, when all is over. */
  readonly diskBytes: number;
}

/** Times a long run after a short one in the same processes, which warms their compilers up. */
export const measureSpeed = (turns: number, warmUp: number): Promise<Speed> =>
  withFolder(async (folder) => {
    const machine = await startMachine(folder);
    const before = await untilOver(machine.info, await startRun(machine.url, { turns: warmUp, tool: 'read_text' }));
    const runId = await startRun(machine.url, { turns, tool: 'read_text' });
    // Looked at rarely: every look takes time from the run.
    const after = await untilOver(machine.info, runId, 500);
    const replies = (await recordsOf(machine.url, runId)).filter(({ type }) => type === 'reply');
    const peaks = peaksOf(after);
    await machine.stop();
    return {
      pace: paceOf(replies.map(({ at }) => at)),
      operations: operationsOf(before, after, turns),
      stateBytes: Math.max(...after.executions.map(({ maxStateBytes }) => maxStateBytes)),
      ...peaks,
      diskBytes: bytesIn(`${folder}/tables`) / (turns + warmUp),
    };
  });

const operationsOf = (before: HostInfo, after: HostInfo, turns: number): Record<string, number> =>
  Object.fromEntries(
    Object.entries(after.storeOperations).map(([name, count]) => [name, (count - (before.storeOperations[name] ?? 0)) / turns]),
  );

function peaksOf({ pid, workers }: HostInfo): { hostMiB: number; workersMiB: number } {
  const pids = Object.values(workers).flat();
  return { hostMiB: peakMiB(pid), workersMiB: pids.reduce((sum, each) => sum + peakMiB(each), 0) };
}

/** The most memory that a process ever had, MiB; not a number where there is no /proc. */
function peakMiB(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  } catch {
    return Number.NaN;
  }
}
