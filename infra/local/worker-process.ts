import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type ErrorReport, exited, FunctionError, timedOut } from './function-error.ts';
import type { Invocation, Reply } from './worker.ts';

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
  pid: number;
  busy: boolean;
  /** The run it served last: records of that run may still be in its memory. */
  runId: string | undefined;
  alive: boolean;
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

/** A log that has grown beyond this is put aside when the next worker starts, replacing the one put aside before. */
const MAX_LOG_BYTES = 5_000_000;

interface Pending {
  requestId: string;
  settle(outcome: string | ErrorReport): void;
}

/** Starts a process for a function. */
export function startWorker(options: WorkerOptions): Worker {
  let pending: Pending | undefined;
  const child = forkWorker(options);
  const settle = (outcome: (requestId: string) => string | ErrorReport) => {
    const current = pending;
    pending = undefined;
    current?.settle(outcome(current.requestId));
  };
  const worker: Worker = {
    pid: child.pid as number,
    busy: false,
    runId: undefined,
    alive: true,
    gone: new Promise((resolve) => child.once('exit', () => resolve())),
    kill: (signal) => void child.kill(signal),
    invoke: (event) =>
      new Promise((resolve, reject) => {
        const requestId = randomUUID();
        const timer = setTimeout(() => {
          settle(() => timedOut(requestId, options.timeoutSeconds));
          child.kill('SIGKILL');
        }, options.timeoutSeconds * 1000);
        pending = {
          requestId,
          settle: (outcome) => {
            clearTimeout(timer);
            if (typeof outcome === 'string') resolve(outcome);
            else reject(new FunctionError(outcome));
          },
        };
        const invocation: Invocation = { requestId, event, deadline: Date.now() + options.timeoutSeconds * 1000 };
        // A process that is already gone is reported by its exit.
        child.send(invocation, () => {});
      }),
  };
  child.on('message', (reply: Reply) => {
    if (reply.requestId === pending?.requestId) settle(() => ('payload' in reply ? reply.payload : reply.error));
  });
  child.once('exit', (code, signal) => {
    worker.alive = false;
    const how = signal ? `signal: ${SIGNAL_WORDS[signal] ?? signal}` : `exit status ${code}`;
    if (pending) appendLog(options.logFile, `Worker ${child.pid} ended in mid-invocation of ${pending.requestId}: ${how}`);
    settle((requestId) => exited(requestId, how));
  });
  child.on('error', (error) => appendLog(options.logFile, `Worker ${child.pid}: ${error.message}`));
  return worker;
}

const SIGNAL_WORDS: Partial<Record<NodeJS.Signals, string>> = { SIGKILL: 'killed', SIGTERM: 'terminated', SIGSEGV: 'segmentation fault' };

function forkWorker({ bundle, dataDir, environment, logFile }: WorkerOptions): ChildProcess {
  const log = openLog(logFile);
  try {
    return fork(WORKER_SCRIPT, [bundle, dataDirArgument(dataDir)], {
      env: environment as NodeJS.ProcessEnv,
      execArgv: ['--enable-source-maps', '--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', log, log, 'ipc'],
    });
  } finally {
    closeSync(log);
  }
}

function openLog(file: string): number {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > MAX_LOG_BYTES) renameSync(file, `${file}.1`);
  return openSync(file, 'a');
}

function appendLog(file: string, line: string): void {
  const log = openLog(file);
  writeSync(log, `${line}\n`);
  closeSync(log);
}
