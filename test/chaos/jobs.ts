import { readTasks, type ShopTask, TASK_SETS, type TaskSet } from '../../agents/tau-retail/data.ts';
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
}

/** The tasks in an order of chance, as many as asked for; the modes take turns. */
export function jobsOf({ data, tasks, seed, modes }: Options): Job[] {
  const all = TASK_SETS.flatMap((set) => readTasks(data, set).map((task) => ({ set, task })));
  const chosen = shuffled(all, randomFrom(seed)).slice(0, tasks);
  return chosen.map((one, i) => ({ ...one, mode: modes[i % modes.length] as Mode, key: `${one.set}-${one.task.task}` }));
}

/** Returns a job by its number. Once all tasks are begun they are begun anew, as jobs of their own. */
export function jobAt(jobs: readonly Job[], number: number): Job {
  const job = jobs[number % jobs.length] as Job;
  const round = Math.floor(number / jobs.length);
  return round === 0 ? job : { ...job, key: `${job.key}-again-${round}` };
}
