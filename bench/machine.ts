import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { HostInfo } from '../infra/local/host.ts';
import type { FunctionName } from '../shared/functions.ts';

const SERVE = fileURLToPath(new URL('../infra/local/serve.ts', import.meta.url));
/** The module that registers the benchmark's agent. */
export const AGENTS = fileURLToPath(new URL('./agents.ts', import.meta.url));

/** The local runner as a process of its own. */
export interface MachineProcess {
  readonly url: string;
  /** From spawn until it answers, ms. */
  readonly startMs: number;
  readonly info: () => Promise<HostInfo>;
  /** kill -9 of one process of a function, best one that is at work. */
  readonly killWorker: (name: FunctionName) => Promise<void>;
  /** kill -9 of the host; its workers end with it. */
  readonly killHost: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Starts the local runner on a data folder, with flags for Node (e.g. a profiler). Returns when it answers. */
export async function startMachine(dataDir: string, execArgv: readonly string[] = []): Promise<MachineProcess> {
  const begun = performance.now();
  const child = fork(SERVE, ['--data-dir', dataDir, '--port', '0', '--agents', AGENTS], {
    execArgv: [...execArgv],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const { url, controlUrl } = await addressOf(child);
  const startMs = performance.now() - begun;
  return {
    url,
    startMs,
    info: async () => (await (await fetch(`${controlUrl}/info`)).json()) as HostInfo,
    killWorker: async (name) => void (await fetch(`${controlUrl}/kill/${name}/SIGKILL`, { method: 'POST' })),
    killHost: () => end(child, 'SIGKILL'),
    stop: () => end(child, 'SIGTERM'),
  };
}

async function addressOf(child: ChildProcess): Promise<{ url: string; controlUrl: string }> {
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`Cannot measure: the local runner ended with code ${code}`)));
  const [message] = await Promise.race([once(child, 'message'), ended]);
  ended.catch(() => {});
  return message as { url: string; controlUrl: string };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}
