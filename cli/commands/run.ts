import { randomUUID } from 'node:crypto';
import { type Command, Option } from 'commander';
import { action, type Context } from '../action.ts';
import { attachments, collect, withAttachments } from '../attach.ts';
import { UnreachableError } from '../client.ts';
import { inputFrom } from '../input.ts';
import { EXIT, printJson, printJsonLine, printLines } from '../output.ts';
import type { Session } from '../session.ts';
import { type WatchOptions, watchRun } from '../watching.ts';
import { addWatchOptions } from './watch.ts';

interface Options extends WatchOptions {
  readonly input?: string;
  readonly file?: string;
  readonly attach: readonly string[];
  readonly key?: string;
  readonly watch?: boolean;
}

/** Adds `run`: starts a run and, unless told otherwise, watches it. */
export function addRun(program: Command, context: Context): void {
  const command = program
    .command('run')
    .description('start a run and watch it; text that is a JSON object or list is sent as JSON, all else as text')
    .argument('<agent>', 'name of the agent, see "holdfast agents"')
    .argument('[input]', 'the input; "-" reads it from standard input')
    .addOption(new Option('--input <text>', 'the input').conflicts('file'))
    .option('--file <path>', 'read the input from a file')
    .option('--attach <path>', 'send a file with the input, a picture for instance; once for each', collect, [])
    .option('--key <key>', 'idempotency key: the same key starts the same run once (default: a new one)')
    .option('--watch', 'watch the run (default)')
    .option('--no-watch', 'only start it, and say its id');
  addWatchOptions(command).action(action<[string, string | undefined], Options>(context, start));
}

async function start(session: Session, options: Options, agent: string, argument: string | undefined): Promise<number> {
  const said = await inputFrom(session.terminal, { argument, ...options });
  const input = withAttachments(said, attachments(session.terminal, options.attach));
  const key = options.key ?? randomUUID();
  const started = await session
    .client()
    .start({ agent, input }, key)
    .catch((error: unknown) => {
      throw error instanceof UnreachableError ? new UnreachableError(`${error.message} ${repeatHint(key)}`, { cause: error }) : error;
    });
  if (options.watch === false) {
    if (session.json) printJson(session.terminal, started);
    else printLines(session.terminal, [started.runId]);
    return EXIT.ok;
  }
  if (session.json) printJsonLine(session.terminal, { started });
  else printLines(session.terminal, [session.paint('dim', `run ${started.runId}`)]);
  return watchRun(session, started.runId, options);
}

const repeatHint = (key: string): string => `If you say it again with --key ${key}, the run starts only once.`;
