import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';

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
export async function startChild<Report>({ script, args, environment = {}, log }: ChildOptions): Promise<Child<Report>> {
  const output = openSync(log, 'a');
  const child = fork(script, [...args], { env: { ...process.env, ...environment }, stdio: ['ignore', output, output, 'ipc'] });
  closeSync(output);
  const gone = endOf(child);
  const early = gone.then((how) => Promise.reject(new Error(`Cannot go on: ${script} ended with ${how}; see ${log}`)));
  const [report] = (await Promise.race([once(child, 'message'), early])) as [Report];
  early.catch(() => {});
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await gone;
  };
  return { pid: child.pid as number, report, gone, kill: () => end('SIGKILL'), stop: () => end('SIGTERM') };
}

const endOf = (child: ChildProcess) =>
  new Promise<string>((resolve) => child.once('exit', (code, signal) => resolve(signal ?? `exit status ${code}`)));
