import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { VARIABLES } from '../../shared/environment.ts';
import { FUNCTIONS, type FunctionName } from '../../shared/functions.ts';
import { bundleFile } from './bundles.ts';
import { createPool, type Pool } from './pool.ts';
import type { Version } from './versions.ts';
import { type Endpoints, workerEnvironment } from './worker-environment.ts';

export interface FunctionOptions {
  bundles: string;
  dataDir: string;
  /** Read whenever a process starts: the API listens only when it can invoke functions. */
  endpoints: Endpoints;
  /** Environment variables for all functions. */
  environment: Record<string, string>;
  /** The most processes of one function. */
  workersPerFunction: number;
  /** Limits that differ from those of `FUNCTIONS`. */
  timeoutSeconds: Partial<Record<FunctionName, number>>;
}

/** Functions that can be invoked. */
export interface Invocable {
  /** Returns the result as JSON, or throws a FunctionError. */
  invoke(name: FunctionName, event: unknown): Promise<string>;
}

/** Lambda on this machine. */
export interface LocalFunctions extends Invocable {
  /** The functions of an earlier version, from their own bundles; counted, listed and killed with those of today. */
  earlier(version: Pick<Version, 'arn' | 'bundles'>): Invocable;
  /** Invocations so far, and how many of them failed. */
  invocations: Record<FunctionName, { started: number; failed: number }>;
  /** Processes by function. */
  pids(): Record<FunctionName, number[]>;
  /** Ends one process, best one that is at work. Returns its pid, or undefined when there is none. */
  kill(name: FunctionName, signal?: NodeJS.Signals): number | undefined;
  stop(graceMs: number): Promise<void>;
  stopped(): boolean;
}

type Pools = Record<FunctionName, Pool>;

/** Makes every function callable. No process is started before it is needed. */
export function createFunctions(options: FunctionOptions): LocalFunctions {
  mkdirSync(join(options.dataDir, 'logs'), { recursive: true });
  const sets = [mapFunctions((name) => poolOf(name, options))];
  const [today] = sets as [Pools];
  const workersOf = (name: FunctionName) => sets.flatMap((pools) => pools[name].workers());
  const invocations = mapFunctions(() => ({ started: 0, failed: 0 }));
  let stopped = false;
  const invokeIn = (pools: Pools) => (name: FunctionName, event: unknown) => {
    const counts = invocations[name];
    counts.started += 1;
    return pools[name].invoke(event).catch((error) => {
      counts.failed += 1;
      throw error;
    });
  };
  return {
    invocations,
    invoke: invokeIn(today),
    earlier({ arn, bundles }) {
      const environment = { ...options.environment, [VARIABLES.stateMachineArn]: arn };
      const pools = mapFunctions((name) => poolOf(name, { ...options, bundles, environment }));
      sets.push(pools);
      return { invoke: invokeIn(pools) };
    },
    pids: () => mapFunctions((name) => workersOf(name).flatMap((worker) => worker.pid ?? [])),
    kill(name, signal = 'SIGKILL') {
      const workers = workersOf(name);
      const chosen = workers.find((worker) => worker.busy) ?? workers[0];
      chosen?.kill(signal);
      return chosen?.pid;
    },
    async stop(graceMs) {
      stopped = true;
      await Promise.all(sets.flatMap((pools) => Object.values(pools)).map((pool) => pool.stop(graceMs)));
    },
    stopped: () => stopped,
  };
}

const mapFunctions = <T>(map: (name: FunctionName) => T) =>
  Object.fromEntries((Object.keys(FUNCTIONS) as FunctionName[]).map((name) => [name, map(name)])) as Record<FunctionName, T>;

function poolOf(name: FunctionName, options: FunctionOptions): Pool {
  const { bundles, dataDir, endpoints } = options;
  const compiled = { NODE_COMPILE_CACHE: join(bundles, 'compiled') };
  const environment = () => ({ ...compiled, ...workerEnvironment(name, endpoints, options.environment) });
  const timeoutSeconds = options.timeoutSeconds[name] ?? FUNCTIONS[name].timeoutSeconds;
  const logFile = join(dataDir, 'logs', `${name}.log`);
  return createPool({ bundle: bundleFile(bundles, name), dataDir, environment, logFile, timeoutSeconds }, options.workersPerFunction);
}
