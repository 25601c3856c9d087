import { readFileSync } from 'node:fs';
import type { HostInfo } from '../infra/local/host.ts';
import { startMachine } from './machine.ts';
import { recordsOf, startRun, untilOver } from './run.ts';
import { type Growth, paceOf } from './statistics.ts';
import { bytesIn, withFolder } from './temporary-folder.ts';

/** How fast turns are, and what the processes take meanwhile. */
export interface Speed {
  /** ms a turn. */
  readonly pace: Growth;
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
    await untilOver(machine.info, await startRun(machine.url, { turns: warmUp, tool: 'read_text' }));
    const runId = await startRun(machine.url, { turns, tool: 'read_text' });
    // Looked at rarely: every look takes time from the run.
    const info = await untilOver(machine.info, runId, 500);
    const replies = (await recordsOf(machine.url, runId)).filter(({ type }) => type === 'reply');
    const peaks = peaksOf(info);
    await machine.stop();
    return { pace: paceOf(replies.map(({ at }) => at)), ...peaks, diskBytes: bytesIn(`${folder}/tables`) / (turns + warmUp) };
  });

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
