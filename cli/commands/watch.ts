import { type Command, InvalidArgumentError } from 'commander';
import { action, type Context } from '../action.ts';
import { findRun } from '../session.ts';
import { type WatchOptions, watchRun } from '../watching.ts';

/** Adds `watch`: a run as it happens. */
export function addWatch(program: Command, context: Context): void {
  addWatchOptions(
    program.command('watch').description('follow a run as it happens; with --json one line for each record, then one for the run'),
  )
    .argument('<run>', 'its id, or a unique beginning or end of it')
    .action(
      action<[string], WatchOptions>(context, async (session, options, text) => watchRun(session, await findRun(session, text), options)),
    );
}

/** Adds the options of watching. */
export const addWatchOptions = (command: Command): Command =>
  command
    .option('--stay', 'go on watching while the run waits for an answer (default on a terminal)')
    .option('--no-stay', 'stop with exit code 4 when the run waits for an answer (default elsewhere)')
    .option('--patience <s>', 'how long a lost service is looked for (default: 60)', secondsOf);

function secondsOf(text: string): number {
  const seconds = Number(text);
  if (!(seconds >= 0) || text.trim() === '') throw new InvalidArgumentError('It must be a number of seconds.');
  return seconds;
}
