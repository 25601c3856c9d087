import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { FUNCTIONS, type FunctionName } from '../../shared/functions.ts';
import { bundleFile } from './bundles.ts';
import { createPool, type Pool } from './pool.ts';
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

/** Lambda on this machine. */
export interface LocalFunctions {
  /** Returns the result as JSON, or throws a FunctionError. */
  invoke(name: FunctionName, event: unknown): Promise<string>;
  /** Invocations so far, and how many of them failed. */
  invocations: Record<FunctionName, { started: number; failed: number }>;
  /** Processes by function. */
  pids(): Record<FunctionName, number[]>;
  /** Ends one process, best one that is at work. Returns its pid, or undefined when there is none. */
  kill(name: FunctionName, signal?: NodeJS.Signals): number | undefined;
  stop(graceMs: number): Promise<void>;
  stopped(): boolean;
}

/** Makes every function callable. No process is started before it is needed. */
export function createFunctions(options: FunctionOptions): LocalFunctions {
  mkdirSync(join(options.dataDir, 'logs'), { recursive: true });
  const pools = mapFunctions((name) => poolOf(name, options));
  const invocations = mapFunctions(() => ({ started: 0, failed: 0 }));
  let stopped = false;
  return {
    invocations,
    invoke(name, event) {
      const counts = invocations[name];
      counts.started += 1;
      return pools[name].invoke(event).catch((error) => {
        counts.failed += 1;
        throw error;
      });
    },
    pids: () => mapFunctions((name) => pools[name].workers().flatMap((worker) => worker.pid ?? [])),
    kill(name, signal = 'SIGKILL') {
      const workers = pools[name].workers();
      const chosen = workers.find((worker) => worker.busy) ?? workers[0];
      chosen?.kill(signal);
      return chosen?.pid;
    },
    async stop(graceMs) {
      stopped = true;
      await Promise.all(Object.values(pools).map((pool) => pool.stop(graceMs)));
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
