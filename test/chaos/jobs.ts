import { readTasks, type ShopTask, TASK_SETS, type TaskSet } from '../../agents/tau-retail/data.ts';
import { repliesOf } from '../../agents/tau-retail/script.ts';
import type { Mode } from '../../agents/tau-retail/shop/desk.ts';
import type { Options } from './options.ts';
import { randomFrom, shuffled } from './random.ts';

/** A task to be done once. */
export interface Job {
  readonly set: TaskSet;
  readonly task: ShopTask;
  readonly mode: Mode;
  /** Names this start of the task, so that a start that is sent twice is one run. */
  readonly key: string;
  /** When the run is started over, if it is: once it has had so many turns, and this much later, ms. */
  readonly restart?: { readonly turns: number; readonly afterMs: number };
}

/** The tasks in an order of chance, as many as asked for; the modes take turns. */
export function jobsOf({ data, tasks, seed, modes, restarts }: Options): Job[] {
  const all = TASK_SETS.flatMap((set) => readTasks(data, set).map((task) => ({ set, task })));
  const chosen = shuffled(all, randomFrom(seed)).slice(0, tasks);
  const points = randomFrom(seed + 1);
  const restartOf = ({ task }: { task: ShopTask }) =>
    restarts ? { restart: { turns: Math.floor(points() * (repliesOf(task).length + 2)), afterMs: Math.floor(points() * WITHIN_MS) } } : {};
  return chosen.map((one, i) => ({
    ...one,
    mode: modes[i % modes.length] as Mode,
    key: `${one.set}-${one.task.task}`,
    ...restartOf(one),
  }));
}

/** A restart comes within this time of the look that shows its turn, ms: in the middle of a step, or between two. */
const WITHIN_MS = 120;

/** Returns a job by its number. Once all tasks are begun they are begun anew, as jobs of their own. */
export function jobAt(jobs: readonly Job[], number: number): Job {
  const job = jobs[number % jobs.length] as Job;
  const round = Math.floor(number / jobs.length);
  return round === 0 ? job : { ...job, key: `${job.key}-again-${round}` };
}
