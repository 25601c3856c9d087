import { setTimeout } from 'node:timers/promises';
import type { FunctionName } from '../../shared/functions.ts';
import type { Deployment } from './deployment.ts';
import type { HostProcess } from './host-process.ts';
import { oneOf, type Random, shuffled } from './random.ts';

/** How far the runs are. */
export interface Progress {
  readonly total: number;
  started: number;
  ended: number;
}

/** Kills by what was killed. */
export type Kills = Map<string, number>;

/** Somebody who kills with SIGKILL at random moments. */
export interface Killer {
  readonly kills: Kills;
  /** Fulfils when all kills are done, or it was stopped. */
  readonly done: Promise<void>;
  isDone(): boolean;
  stop(): void;
}

/** How often each function's process is the one to be killed. */
const WEIGHTS = {
  'tool-step': 70,
  'model-step': 16,
  'start-run': 3,
  recover: 3,
  ask: 3,
  answer: 3,
  'read-runs': 2,
} satisfies Partial<Record<FunctionName, number>>;

/** In every block of kills one is that of the service itself, and in every other block that of one that is just starting. */
const BLOCK = 5;
/** A service is killed within this time of its start, ms: before it can answer, or just when it does. */
const STARTING_MS = 700;
/** A kill that is due comes at a moment of chance within this time, ms. */
const WITHIN_MS = 150;
const LOOK_MS = 10;

/** Counts the kills. */
export const killsIn = (kills: Kills): number => [...kills.values()].reduce((sum, each) => sum + each, 0);

/** Begins to kill, `count` times in all, in step with the runs and only while some are under way. */
export function startKiller(count: number, deployment: Deployment | HostProcess, progress: Progress, random: Random): Killer {
  const kills: Kills = new Map();
  const targets = targetsOf(count, random);
  let isDone = false;

  async function work(): Promise<void> {
    while (killsIn(kills) < count && !isDone && deployment.faults.length === 0) {
      await setTimeout(LOOK_MS);
      if (!isDue(killsIn(kills), count, progress)) continue;
      await setTimeout(random() * WITHIN_MS);
      const killed = isActive(progress) ? await kill(targets[0] as Target, deployment, random) : [];
      if (killed.length > 0) targets.shift();
      for (const name of killed) kills.set(name, (kills.get(name) ?? 0) + 1);
    }
  }

  const stop = () => {
    isDone = true;
  };
  return { kills, done: work().finally(stop), isDone: () => isDone, stop };
}

type Target = 'worker' | 'host' | 'host twice';

function targetsOf(count: number, random: Random): Target[] {
  const blockOf = (host: Target) => shuffled([host, ...Array<Target>(BLOCK - 1).fill('worker')], random);
  return Array.from({ length: Math.ceil(count / BLOCK) }, (_, i) => blockOf(i % 2 ? 'host twice' : 'host')).flat();
}

/** Kills keep up with the runs that were started, so that the last of them fall while the last runs are under way. */
const isDue = (done: number, count: number, { started, total }: Progress) => done < (count * started) / total;

const isActive = ({ started, ended }: Progress) => started > ended;

/** Returns the names of what was killed. Where the service is no process of its own, that is a worker each time. */
async function kill(target: Target, deployment: Deployment | HostProcess, random: Random): Promise<string[]> {
  if (target === 'worker' || !('killHost' in deployment)) {
    const name = oneOf(WEIGHTS, random);
    return (await deployment.killWorker(name)) ? [name] : [];
  }
  if (target === 'host') await deployment.killHost();
  else await deployment.killHostTwice(random() * STARTING_MS);
  return target === 'host' ? ['host'] : ['host', 'starting host'];
}
