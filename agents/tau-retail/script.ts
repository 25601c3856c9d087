import * as z from 'zod';
import type { Script, ScriptedReply } from '../../shared/model.ts';
import { dataFolder, readTasks, type ShopTask, TASK_SETS, type TaskCall, type TaskSet } from './data.ts';
import { isWrite } from './tools.ts';

/** The input of a run: which task it is to do. */
export const taskInput = z.object({ set: z.enum(TASK_SETS), task: z.int().nonnegative() });
export type TaskInput = z.infer<typeof taskInput>;

/** Plays the calls of the task that the input names, whatever the shop answers, and then says that it is done. */
export const tauRetailScript: Script = ({ input, turn }) => {
  const wanted = taskInput.parse(input);
  return repliesOf(taskOf(wanted))[turn] ?? { text: `Task ${wanted.task} is done.` };
};

/** How calls are shared out into replies. */
type Cut = (calls: readonly TaskCall[]) => TaskCall[][];

/** One call in each reply. */
const oneByOne: Cut = (calls) => calls.map((call) => [call]);

/** All reads of a stretch in one reply, each write in its own. */
const readsTogether: Cut = (calls) => cutWhere(calls, (before, call) => isWrite(before.name) || isWrite(call.name));

/** All reads of a stretch in one reply with the writes that follow them. */
const mixed: Cut = (calls) => cutWhere(calls, (before, call) => isWrite(before.name) && !isWrite(call.name));

const CUTS: readonly Cut[] = [readsTogether, mixed, oneByOne];

/** The replies that make a task's calls in order; how many calls a reply has differs by the task's number. */
export function repliesOf({ task, calls }: ShopTask): ScriptedReply[] {
  const cut = CUTS[task % CUTS.length] as Cut;
  return cut(calls).map((made) => ({ calls: made.map(({ name, input }) => ({ tool: name, input })) }));
}

function cutWhere(calls: readonly TaskCall[], isCut: (before: TaskCall, call: TaskCall) => boolean): TaskCall[][] {
  const parts: TaskCall[][] = [];
  calls.forEach((call, i) => {
    const before = calls[i - 1];
    if (!before || isCut(before, call)) parts.push([call]);
    else parts.at(-1)?.push(call);
  });
  return parts;
}

const read = new Map<TaskSet, ShopTask[]>();

function taskOf({ set, task }: TaskInput): ShopTask {
  const tasks = read.get(set) ?? readTasks(dataFolder(), set);
  read.set(set, tasks);
  const found = tasks.find((one) => one.task === task);
  if (!found) throw new Error(`There is no task ${task} in the set "${set}"`);
  return found;
}
