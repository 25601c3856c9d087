import type { Command } from 'commander';
import { action, type Context } from '../action.ts';
import { oneLine } from '../clean.ts';
import { EXIT, printJson, printLines } from '../output.ts';
import { actor, findRun, type Session } from '../session.ts';
import { statusWord } from '../status.ts';

interface Options {
  readonly by?: string;
}

/** Adds `cancel` and `resume`. */
export function addSteering(program: Command, context: Context): void {
  addSteer(program, context, 'cancel', 'cancel a run; a step in flight is let go first');
  addSteer(program, context, 'resume', 'give an unfinished run its next segment, now');
}

function addSteer(program: Command, context: Context, verb: 'cancel' | 'resume', description: string): void {
  program
    .command(verb)
    .description(description)
    .argument('<run>', 'its id, or a unique beginning or end of it')
    .option('--by <name>', 'who does it, for the log (default: your account)')
    .action(action<[string], Options>(context, (session, options, text) => steer(session, verb, text, options.by ?? actor())));
}

async function steer(session: Session, verb: 'cancel' | 'resume', text: string, by: string): Promise<number> {
  const { run } = await session.client()[verb](await findRun(session, text), by);
  if (session.json) printJson(session.terminal, { run });
  else printLines(session.terminal, [`${run.runId} ${statusWord(run.status, session.paint)}: ${oneLine(run.reason, 300)}`]);
  return EXIT.ok;
}
