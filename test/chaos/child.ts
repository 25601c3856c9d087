import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

/** A process that reports what it is by one message. */
export interface Child<Report> {
  readonly pid: number;
  readonly report: Report;
  /** Fulfils when it is gone, with how. */
  readonly gone: Promise<string>;
  /** Ends it as a crash does. */
  kill(): Promise<void>;
  /** Asks it to end, and waits. */
  stop(): Promise<void>;
}

export interface ChildOptions {
  readonly script: string;
  readonly args: readonly string[];
  readonly environment?: Record<string, string>;
  /** What it prints is appended here. */
  readonly log: string;
}

/** Starts a process and returns once it has reported. It ends with this one. Throws when it ends before that. */
export async function startChild<Report>(options: ChildOptions): Promise<Child<Report>> {
  const child = begin(options);
  const gone = endOf(child);
  const early = gone.then((how) => Promise.reject(new Error(`Cannot go on: ${options.script} ended with ${how}: ${lastWords(options)}`)));
  const [report] = (await Promise.race([once(child, 'message'), early])) as [Report];
  early.catch(() => {});
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await gone;
  };
  return { pid: child.pid as number, report, gone, kill: () => end('SIGKILL'), stop: () => end('SIGTERM') };
}

const lastWords = ({ log }: ChildOptions) => readFileSync(log, 'utf8').trim().slice(-2000);

/** Starts a process and ends it as a crash does, wherever it is after this time. */
export async function startAndKill(options: ChildOptions, afterMs: number): Promise<void> {
  const child = begin(options);
  const gone = endOf(child);
  await setTimeout(afterMs);
  child.kill('SIGKILL');
  await gone;
}

function begin({ script, args, environment = {}, log }: ChildOptions): ChildProcess {
  const output = openSync(log, 'a');
  const child = fork(script, [...args], { env: { ...process.env, ...environment }, stdio: ['ignore', output, output, 'ipc'] });
  closeSync(output);
  return child;
}

const endOf = (child: ChildProcess) =>
  new Promise<string>((resolve) => child.once('exit', (code, signal) => resolve(signal ?? `exit status ${code}`)));
