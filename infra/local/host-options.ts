import type { FunctionName } from '../../shared/functions.ts';
import type { Execution } from './execution.ts';
import type { LocalFunctions } from './functions.ts';
import type { Pace } from './machine.ts';
import type { Endpoints } from './worker-environment.ts';

export interface HostOptions extends Pace {
  /** Where everything is stored. One host at a time may use it. */
  dataDir: string;
  /** Of the HTTP API; 0, the default, for any free one. */
  port?: number | undefined;
  /** The module that registers agents, instead of `agents/index.ts`. */
  agents?: string | undefined;
  /** Environment variables for the functions. */
  environment?: Record<string, string>;
  /** Events of an execution after which a run goes on in its next segment. */
  eventLimit?: number | undefined;
  /** The folder of the handlers' files, instead of `lambdas`. */
  handlers?: string | undefined;
  /** Tells whether mails to an address are rejected; none is unless told otherwise. */
  mailFails?: (to: string) => boolean;
  /** Between the sweeps of overdue and undelivered asks, ms, 5000 unless told otherwise; 0 for no sweeps. */
  sweepMs?: number | undefined;
  /** The most processes of one function, 4 unless told otherwise. */
  workersPerFunction?: number;
  /** Limits of functions that differ from those in `FUNCTIONS`. */
  timeoutSeconds?: Partial<Record<FunctionName, number>>;
}

/** What a host has counted since it started. */
export interface HostInfo {
  pid: number;
  /** Those at work, and the latest of those that are closed. */
  executions: Execution[];
  invocations: LocalFunctions['invocations'];
  /** Pids of the functions' processes. */
  workers: Record<FunctionName, number[]>;
  /** Requests to the tables by operation. */
  storeOperations: Record<string, number>;
  /** Bytes of requests that write to the tables. */
  bytesWritten: number;
}

/** A machine on which Holdfast runs. */
export interface Host {
  /** The address of the HTTP API. */
  url: string;
  /** The address where other processes of this machine get `info` and ask to `kill`. */
  controlUrl: string;
  /** The addresses of the services. */
  endpoints: Endpoints;
  /** Fulfils when every run that an earlier host left unfinished has its next segment. */
  recovered: Promise<void>;
  info(): HostInfo;
  /** Ends a process of a function, best one that is at work. Returns its pid, or undefined when there is none. */
  kill(name: FunctionName, signal?: NodeJS.Signals): number | undefined;
  /** Ends everything. What is at work may finish within `graceMs`, 0 by default; the next host recovers what does not. */
  stop(graceMs?: number): Promise<void>;
}
