import { setTimeout } from 'node:timers/promises';
import type { FunctionName } from '../../shared/functions.ts';
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
const WEIGHTS: Readonly<Record<FunctionName, number>> = {
  'tool-step': 50,
  'model-step': 30,
  'start-run': 4,
  recover: 4,
  ask: 4,
  answer: 4,
  'read-runs': 2,
  'steer-run': 0,
};

/** One kill in so many is that of the service itself. */
const HOST_EVERY = 5;
/** A kill that is due comes at a moment of chance within this time, ms. */
const WITHIN_MS = 150;
const LOOK_MS = 10;

/** Counts the kills. */
export const killsIn = (kills: Kills): number => [...kills.values()].reduce((sum, each) => sum + each, 0);

/** Begins to kill, `count` times in all, in step with the runs and only while some are under way. */
export function startKiller(count: number, host: HostProcess, progress: Progress, random: Random): Killer {
  const kills: Kills = new Map();
  const targets = targetsOf(count, random);
  let isDone = false;

  async function work(): Promise<void> {
    while (targets.length > 0 && !isDone && host.faults.length === 0) {
      await setTimeout(LOOK_MS);
      if (!isDue(killsIn(kills), count, progress)) continue;
      await setTimeout(random() * WITHIN_MS);
      const killed = isActive(progress) && (await kill(targets[0] as string, host, random));
      if (!killed) continue;
      targets.shift();
      kills.set(killed, (kills.get(killed) ?? 0) + 1);
    }
  }

  const stop = () => {
    isDone = true;
  };
  return { kills, done: work().finally(stop), isDone: () => isDone, stop };
}

/** In every block of kills one is for the service, at a place of chance. */
function targetsOf(count: number, random: Random): string[] {
  const block = ['host', ...Array<string>(HOST_EVERY - 1).fill('worker')];
  return Array.from({ length: Math.ceil(count / HOST_EVERY) }, () => shuffled(block, random))
    .flat()
    .slice(0, count);
}

/** Kills keep up with the runs that were started, so that the last of them fall while the last runs are under way. */
const isDue = (done: number, count: number, { started, total }: Progress) => done < (count * started) / total;

const isActive = ({ started, ended }: Progress) => started > ended;

async function kill(target: string, host: HostProcess, random: Random): Promise<string | undefined> {
  if (target === 'host') {
    await host.killHost();
    return 'host';
  }
  const name = oneOf(WEIGHTS, random);
  return (await host.killWorker(name)) ? name : undefined;
}
