import { parseArgs } from 'node:util';
import { DATA_VARIABLE } from '../../agents/tau-retail/data.ts';
import { MODES, type Mode } from '../../agents/tau-retail/shop/desk.ts';

/** What a campaign is to do. */
export interface Options {
  /** The folder with the shop's rows, tools, tasks and true answers. */
  readonly data: string;
  readonly kills: number;
  /** How many tasks of all, chosen by the seed. */
  readonly tasks: number;
  readonly seed: number;
  readonly modes: readonly Mode[];
  /** Runs at a time. */
  readonly parallel: number;
  /** The longest time that the shop keeps an answer back, ms. */
  readonly holdMs: number;
  /** Events of an execution after which a run goes on in its next segment; the service's own limit unless given. */
  readonly eventLimit?: number | undefined;
  /** Starts every run over once, at a random point. */
  readonly restarts: boolean;
  /** Leaves the data folder of the service where it is. */
  readonly keep: boolean;
}

const NAMES = ['data', 'kills', 'tasks', 'seed', 'mode', 'parallel', 'hold-ms', 'event-limit'] as const;

/** Reads the command line. Throws an Error that names what is wrong. */
export function readOptions(args: readonly string[], variables: NodeJS.ProcessEnv): Options {
  const strings = Object.fromEntries(NAMES.map((name) => [name, { type: 'string' }] as const));
  const { values } = parseArgs({ args: [...args], options: { ...strings, keep: { type: 'boolean' }, restarts: { type: 'boolean' } } });
  const given = values as Partial<Record<(typeof NAMES)[number], string>> & { keep?: boolean; restarts?: boolean };
  const data = given.data ?? variables[DATA_VARIABLE];
  if (!data) throw new Error(`Cannot start: say where the shop's data is, with --data FOLDER or in ${DATA_VARIABLE}`);
  const kills = numberOf('kills', given.kills, 500);
  return {
    data,
    kills,
    tasks: numberOf('tasks', given.tasks, Number.POSITIVE_INFINITY),
    seed: numberOf('seed', given.seed, Math.floor(Math.random() * 1_000_000)),
    modes: modesOf(given.mode ?? 'all'),
    parallel: numberOf('parallel', given.parallel, 8),
    holdMs: numberOf('hold-ms', given['hold-ms'], kills > 0 ? 60 : 0),
    eventLimit: given['event-limit'] === undefined ? undefined : numberOf('event-limit', given['event-limit'], 0),
    restarts: given.restarts ?? false,
    keep: given.keep ?? false,
  };
}

function numberOf(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  const number = Number(text);
  if (text.trim() === '' || !Number.isInteger(number) || number < 0)
    throw new Error(`Cannot use --${name} ${text}: it must be a whole number`);
  return number;
}

function modesOf(text: string): readonly Mode[] {
  if (text === 'all') return MODES;
  const mode = MODES.find((one) => one === text);
  if (!mode) throw new Error(`Cannot use --mode ${text}: it must be all or one of ${MODES.join(', ')}`);
  return [mode];
}
