import { type ChildProcess, fork } from 'node:child_process';
import { closeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { exited } from './function-error.ts';
import { beginInvocation, type InFlight } from './in-flight.ts';
import type { Reply } from './worker.ts';
import { appendLog, openLog } from './worker-log.ts';

export interface WorkerOptions {
  /** The function's bundle. */
  bundle: string;
  dataDir: string;
  environment: Record<string, string | undefined>;
  logFile: string;
  timeoutSeconds: number;
}

/** A process that serves one function, one event at a time. */
export interface Worker {
  pid: number | undefined;
  busy: boolean;
  alive: boolean;
  /** The run it served last: records of that run may still be in its memory. */
  runId: string | undefined;
  /** Fulfils when the process is gone. */
  gone: Promise<void>;
  /** Returns the handler's result as JSON, or throws a FunctionError. */
  invoke(event: unknown): Promise<string>;
  kill(signal: NodeJS.Signals): void;
}

/** The script that workers run; processes of an earlier host are known by it. */
export const WORKER_SCRIPT = fileURLToPath(new URL('./worker.ts', import.meta.url));
/** The argument that names a worker's data folder. */
export const dataDirArgument = (dataDir: string) => `--data-dir=${dataDir}`;

/** Starts a process for a function. */
export function startWorker(options: WorkerOptions): Worker {
  const child = forkWorker(options);
  let current: InFlight | undefined;
  const { promise: gone, resolve: onGone } = Promise.withResolvers<void>();
  const worker: Worker = {
    pid: child.pid,
    busy: false,
    alive: true,
    runId: undefined,
    gone,
    kill: (signal) => void child.kill(signal),
    invoke(event) {
      current = beginInvocation(event, options.timeoutSeconds, () => child.kill('SIGKILL'));
      // A process that can no longer be reached is about to report its end.
      child.send(current.invocation, () => {});
      return current.result.finally(() => {
        current = undefined;
      });
    },
  };
  const end = (how: string) => {
    worker.alive = false;
    if (current) appendLog(options.logFile, `${current.invocation.requestId} was cut off: ${how}`);
    current?.settle(exited(current.invocation.requestId, how));
    onGone();
  };
  child.on('message', (reply: Reply) => {
    if (reply.requestId === current?.invocation.requestId) current.settle('payload' in reply ? reply.payload : reply.error);
  });
  child.once('exit', (code, signal) => end(signal ? `signal: ${SIGNAL_WORDS[signal] ?? signal}` : `exit status ${code}`));
  child.once('error', (error) => child.pid === undefined && end(error.message));
  return worker;
}

/** Signals in Lambda's words. */
const SIGNAL_WORDS: Partial<Record<NodeJS.Signals, string>> = { SIGKILL: 'killed', SIGTERM: 'terminated', SIGSEGV: 'segmentation fault' };

function forkWorker({ bundle, dataDir, environment, logFile }: WorkerOptions): ChildProcess {
  const log = openLog(logFile);
  try {
    return fork(WORKER_SCRIPT, [bundle, dataDirArgument(dataDir)], {
      env: environment as NodeJS.ProcessEnv,
      execArgv: ['--enable-source-maps'],
      stdio: ['ignore', log, log, 'ipc'],
    });
  } finally {
    closeSync(log);
  }
}
