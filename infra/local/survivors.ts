import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { pause } from './pause.ts';
import { dataDirArgument, WORKER_SCRIPT } from './worker-process.ts';

/** Ends the workers that an earlier host of this data folder left behind. When it returns, every earlier invocation is over. */
export async function endSurvivors(dataDir: string): Promise<void> {
  for (;;) {
    const pids = survivors(dataDir);
    if (pids.length === 0) return;
    for (const pid of pids) kill(pid);
    await pause(10);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Workers are known by what they were started with, so that no list of them can be out of date. */
const survivors = (dataDir: string) =>
  processes()
    .filter(({ command }) => command.includes(WORKER_SCRIPT) && command.endsWith(` ${dataDirArgument(dataDir)}`))
    .map(({ pid }) => pid);

interface Process {
  pid: number;
  command: string;
}

const processes = (): Process[] => (existsSync('/proc/self/cmdline') ? fromProc() : fromPs());

const fromProc = (): Process[] =>
  readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map((entry) => ({ pid: Number(entry), command: commandOf(entry) }));

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replace(/\0$/, '').replaceAll('\0', ' ');
  } catch {
    return ''; // It ended in the meantime, or is not ours to see.
  }
}

const fromPs = (): Process[] =>
  execFileSync('ps', ['-Ao', 'pid=,command='], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
    .split('\n')
    .map((line) => ({ pid: Number.parseInt(line, 10), command: line.trim().replace(/^\d+\s+/, '') }));
