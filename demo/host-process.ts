import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Client, createClient } from '../cli/client.ts';
import { until } from './until.ts';

const SERVE = fileURLToPath(new URL('../infra/local/serve.ts', import.meta.url));

/** The service as a process, so that it can be killed. */
export interface HostProcess {
  readonly pid: number;
  readonly client: Client;
  /** The processes of the function that runs tools. */
  readonly toolWorkers: () => Promise<number[]>;
  /** kill -9 of the service and of every worker, as when the machine is gone. Returns how many processes that were. */
  readonly kill: () => Promise<number>;
}

/** Starts the service on a data folder and returns when it answers. */
export async function startHostProcess(dataDir: string, environment: Record<string, string>): Promise<HostProcess> {
  const log = openSync(join(dataDir, 'host.log'), 'a');
  const child = fork(SERVE, ['--data-dir', dataDir, '--port', '0'], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', log, log, 'ipc'],
  });
  const { url, controlUrl } = await addressOf(child);
  const workers = async () => ((await (await fetch(`${controlUrl}/info`)).json()) as { workers: Record<string, number[]> }).workers;
  return {
    pid: child.pid as number,
    client: createClient(url),
    toolWorkers: async () => (await workers())['tool-step'] ?? [],
    kill: async () => killed(child, Object.values(await workers()).flat()),
  };
}

async function addressOf(child: ChildProcess): Promise<{ url: string; controlUrl: string }> {
  const ended = once(child, 'exit').then(() => {
    throw new Error('Cannot go on: the service ended before it answered; see host.log in its data folder');
  });
  const [message] = await Promise.race([once(child, 'message'), ended]);
  ended.catch(() => {});
  return message as { url: string; controlUrl: string };
}

/** The service goes first: it must not see its workers die, or it would still do something about it. */
async function killed(child: ChildProcess, workers: readonly number[]): Promise<number> {
  const pids = [child.pid as number, ...workers];
  for (const pid of pids) kill9(pid);
  await until('all killed processes are gone', () => (pids.some(isAlive) ? undefined : true));
  return pids.length;
}

/** Ends a process as a crash does. It may be gone already. */
export function kill9(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
