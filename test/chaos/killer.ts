import { setTimeout } from 'node:timers/promises';
import type { FunctionName } from '../../shared/functions.ts';
import { oneOf, type Random, shuffled } from './random.ts';
import type { Service } from './host-process.ts';

/** How far the runs are. */
export interface Progress {
  readonly total: number;
  started: number;
  ended: number;
}

/** Kills so far, by what was killed. */
export type Kills = Map<string, number>;

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

export const killsIn = (kills: Kills): number => [...kills.values()].reduce((sum, each) => sum + each, 0);

/** Kills with SIGKILL at random moments, as many as asked for, spread over the progress of the runs. Stops when told to. */
export async function killOnTheWay(
  count: number,
  service: Service,
  progress: Progress,
  random: Random,
  isOver: () => boolean,
): Promise<Kills> {
  const kills: Kills = new Map();
  const targets = targetsOf(count, random);
  while (targets.length > 0 && !isOver()) {
    await setTimeout(LOOK_MS);
    if (!isDue(killsIn(kills), count, progress)) continue;
    await setTimeout(random() * WITHIN_MS);
    const killed = isActive(progress) && (await kill(targets[0] as string, service, random));
    if (!killed) continue;
    targets.shift();
    kills.set(killed, (kills.get(killed) ?? 0) + 1);
  }
  return kills;
}

/** In every block of kills one is for the service, at a place of chance. */
function targetsOf(count: number, random: Random): string[] {
  const blocks = Array.from({ length: Math.ceil(count / HOST_EVERY) }, () =>
    shuffled(['host', ...Array<string>(HOST_EVERY - 1).fill('worker')], random),
  );
  return blocks.flat().slice(0, count);
}

/** The kills run ahead of the runs a little, so that all of them fall while runs are under way. */
const isDue = (done: number, count: number, { started, total }: Progress) => done < (count * started) / total;

const isActive = ({ started, ended }: Progress) => started > ended;

async function kill(target: string, service: Service, random: Random): Promise<string | undefined> {
  if (target === 'host') {
    await service.killHost();
    return 'host';
  }
  const name = oneOf(WEIGHTS, random);
  return (await service.killWorker(name)) ? name : undefined;
}
