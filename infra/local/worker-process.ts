import { type ChildProcess, fork } from 'node:child_process';
import { closeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { exited } from './function-error.ts';
import { createInFlight, type InFlight } from './in-flight.ts';
import { appendLog, openLog } from './worker-log.ts';
import { READY, type Reply } from './worker-protocol.ts';

export interface WorkerOptions {
  /** The function's bundle. */
  bundle: string;
  dataDir: string;
  /** Read whenever a process starts. */
  environment(): Record<string, string | undefined>;
  logFile: string;
  timeoutSeconds: number;
}

/** A process that serves one function, one event at a time. */
export interface Worker {
  pid: number | undefined;
  busy: boolean;
  /** False once its end is decided: it is given no more events. */
  usable: boolean;
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
  let ready = false;
  let current: InFlight | undefined;
  // A process that can no longer be reached is about to report its end.
  const hand = (inFlight: InFlight) => void child.send(inFlight.begin(), () => {});
  const kill = (signal: NodeJS.Signals) => {
    worker.usable = false;
    child.kill(signal);
  };
  const { promise: gone, resolve: onGone } = Promise.withResolvers<void>();
  const worker: Worker = {
    pid: child.pid,
    busy: false,
    usable: true,
    runId: undefined,
    gone,
    kill,
    invoke(event) {
      current = createInFlight(event, options.timeoutSeconds, () => kill('SIGKILL'));
      if (ready) hand(current);
      return current.result.finally(() => {
        current = undefined;
      });
    },
  };
  const end = (how: string) => {
    worker.usable = false;
    if (current) appendLog(options.logFile, `${current.requestId} was cut off: ${how}`);
    current?.settle(exited(current.requestId, how));
    onGone();
  };
  child.on('message', (message: Reply | typeof READY) => {
    if (message === READY) {
      ready = true;
      if (current) hand(current);
    } else if (message.requestId === current?.requestId) current.settle('payload' in message ? message.payload : message.error);
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
      env: environment() as NodeJS.ProcessEnv,
      execArgv: ['--enable-source-maps'],
      stdio: ['ignore', log, log, 'ipc'],
    });
  } finally {
    closeSync(log);
  }
}
