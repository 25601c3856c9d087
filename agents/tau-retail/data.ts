import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../../shared/json.ts';

/** The variable that names the folder with the shop's rows, tools and tasks. */
export const DATA_VARIABLE = 'HOLDFAST_TAU_RETAIL';

/** A tool of the shop as the data describes it; `parameters` is a JSON schema of an object. */
export interface ShopTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: { readonly [key: string]: Json };
}

/** One call of a task, with the answer that the shop must give. */
export interface TaskCall {
  readonly name: string;
  readonly input: { readonly [key: string]: Json };
  readonly output: string;
}

/** A piece of work for the agent: its calls in order, and the rows that differ from the start once they are made. */
export interface ShopTask {
  readonly task: number;
  readonly instruction: string;
  readonly calls: readonly TaskCall[];
  readonly changed: { readonly [table: string]: { readonly [id: string]: Json } };
}

export const TASK_SETS = ['test', 'train'] as const;
export type TaskSet = (typeof TASK_SETS)[number];

/** The folder of the data. Throws when the variable does not name one. */
export function dataFolder(): string {
  const folder = process.env[DATA_VARIABLE];
  if (!folder) throw new Error(`Cannot find the shop's data: ${DATA_VARIABLE} must name its folder`);
  return folder;
}

const read = (folder: string, file: string): unknown => JSON.parse(readFileSync(join(folder, `${file}.json`), 'utf8'));

/** Reads the tools of the shop. */
export const readTools = (folder: string): ShopTool[] => read(folder, 'tools') as ShopTool[];

/** Reads the tasks of a set. */
export const readTasks = (folder: string, set: TaskSet): ShopTask[] => read(folder, `tasks-${set}`) as ShopTask[];

/** Reads one of the tables of the shop: its rows by id. */
export const readTable = <Row>(folder: string, table: string): Record<string, Row> => read(folder, table) as Record<string, Row>;
