import { setTimeout } from 'node:timers/promises';
import { VARIABLES } from '../../shared/environment.ts';
import type { FunctionName } from '../../shared/functions.ts';
import { SMALL_EVENT_LIMIT } from '../crash/lane.ts';
import { startWorld, type World } from '../runs/world.ts';
import { startSigner } from './signer.ts';
import { type Simulator, startSimulator } from './simulator.ts';

/** A simulator with a world outside it. One thing is tried on it at a time. */
export interface Stage {
  /** Whether few turns fit into a segment. */
  readonly smallSegments: boolean;
  readonly simulator: Simulator;
  readonly world: World;
  /** The HTTP API, as a client with credentials reaches it. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a stage for an assembly. */
export async function startStage(folder: string, assembly: string, smallSegments: boolean): Promise<Stage> {
  await using cleaning = new AsyncDisposableStack();
  const world = cleaning.adopt(await startWorld(), (started) => started.close());
  const limit = smallSegments ? { [VARIABLES.eventLimit]: String(SMALL_EVENT_LIMIT) } : {};
  const environment = { WORLD_URL: world.url, ...limit };
  const simulator = cleaning.adopt(await startSimulator({ folder, assembly, environment }), (started) => started.stop());
  const signer = cleaning.adopt(await startSigner(simulator.apiUrl), (started) => started.close());
  const all = cleaning.move();
  return { smallSegments, simulator, world, url: signer.url, stop: () => all.disposeAsync() };
}

/** Who calls AWS: one of the functions, or the state machine. */
export type Caller = FunctionName | 'states';

/** One call to AWS. */
export interface AwsCall {
  readonly by: Caller;
  /** Of the function's invocation. */
  readonly requestId: string;
  /** `<service>.<Operation>` */
  readonly operation: string;
  /** Read or written in tables. */
  readonly bytes: number;
}

/** As the simulator recorded it. */
interface Recorded {
  readonly n: number;
  readonly caller: string;
  readonly function?: string;
  readonly requestId?: string;
  readonly service: string;
  readonly operation: string;
  readonly bytes?: number;
}

/** The number of the last call so far. */
export async function lastCall({ simulator }: Stage): Promise<number> {
  return (await simulator.get<Recorded[]>('calls?limit=1'))[0]?.n ?? 0;
}

/** The calls of functions and the state machine after a number, in order. */
export async function callsAfter({ simulator }: Stage, n: number): Promise<AwsCall[]> {
  const calls = await simulator.get<Recorded[]>(`calls?since=${n}`);
  return calls.flatMap(({ caller, function: name = '', requestId = '', service, operation, bytes = 0 }) => {
    const by = caller === 'states' ? caller : simulator.nameOf(name);
    return by ? [{ by, requestId, operation: `${service}.${operation}`, bytes }] : [];
  });
}

/** Waits until no function is at work. */
export async function quiet({ simulator }: Stage): Promise<void> {
  for (const end = Date.now() + QUIET_MS; ; await setTimeout(10)) {
    const { busyWorkers, asyncEvents } = await simulator.get<{ busyWorkers: number; asyncEvents: number }>('idle');
    if (busyWorkers + asyncEvents === 0) return;
    if (Date.now() > end) throw new Error(`A function is still at work after ${QUIET_MS / 1000} s`);
  }
}

const QUIET_MS = 60_000;

/** Lets the schedule fire once, and waits until that is over. */
export async function sweep(stage: Stage): Promise<void> {
  const count = async () => (await stage.simulator.get<unknown[]>('invocations?function=sweep')).length;
  const before = await count();
  await stage.simulator.tell('POST', 'fire-rule', { name: 'Sweep' });
  while ((await count()) === before) await setTimeout(20);
  await quiet(stage);
}
