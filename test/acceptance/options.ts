import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** What is to be tried, and with what. */
export interface Options {
  /** The simulator's folder. */
  readonly simulator: string;
  /** The folder with the rows, tasks and true answers of the shop. */
  readonly data: string;
  readonly seed: number;
  /** Tells whether a try, by its name, is in the seeded slice. */
  readonly slice: (name: string) => boolean;
  /** Only sections and stories whose names have this in them. */
  readonly section: string;
  readonly story: string;
  /** Turns of the long run; 0 for none. */
  readonly turns: number;
  /** Tasks that are done in the shop, and kills meanwhile; 0 tasks for none. */
  readonly tasks: number;
  readonly kills: number;
}

const OPTIONS = {
  sim: { type: 'string', default: '../shared/aws-sim' },
  data: { type: 'string', default: '../shared/tau-retail' },
  share: { type: 'string', default: '1' },
  seed: { type: 'string', default: '1' },
  section: { type: 'string', default: '' },
  story: { type: 'string', default: '' },
  turns: { type: 'string', default: '500' },
  tasks: { type: 'string', default: '50' },
  kills: { type: 'string', default: '50' },
} as const;

/** Reads the command line. Throws an Error that says what is wrong. */
export function readOptions(args: readonly string[]): Options {
  const { sim, data, section, story, ...more } = parseArgs({ args: [...args], options: OPTIONS }).values;
  const number = (name: keyof typeof more) => numberOf(name, more[name]);
  if (!existsSync(join(sim, 'aws-sim'))) throw new Error(`Cannot start: there is no aws-sim in "${sim}"; say --sim FOLDER`);
  if (number('tasks') > 0 && !existsSync(data))
    throw new Error(`Cannot start: there is no folder "${data}"; say --data FOLDER, or --tasks 0`);
  const [share, seed] = [number('share'), number('seed')];
  const counts = { turns: number('turns'), tasks: number('tasks'), kills: number('kills') };
  const slice = (name: string) => createHash('sha256').update(`${seed} ${name}`).digest().readUInt32BE() / 2 ** 32 < share;
  return { simulator: resolve(sim), data: resolve(data), seed, slice, section, story, ...counts };
}

function numberOf(name: string, text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !(number >= 0)) throw new Error(`Cannot use --${name} ${text}: it must be a number`);
  return number;
}
