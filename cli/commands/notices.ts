import type { Command } from 'commander';
import { action, type Context } from '../action.ts';
import { noticeLine } from '../notices.ts';
import { EXIT, printJson, printLines } from '../output.ts';
import { actor, askIdOf, type Session } from '../session.ts';

interface Options {
  readonly to: string;
  readonly by?: string;
}

/** Adds `notify` and `revoke`: who is told of an ask, and whose link to it works. */
export function addNotices(program: Command, context: Context): void {
  addOne(program, context, 'notify', 'tell somebody of an open ask, or tell them again');
  addOne(program, context, 'revoke', 'take back the link that somebody was sent');
}

function addOne(program: Command, context: Context, verb: 'notify' | 'revoke', description: string): void {
  program
    .command(verb)
    .description(description)
    .argument('<ask|run>', 'id of the ask, or of the run that waits for it')
    .requiredOption('--to <recipient>', "a mail address, or webhook:<name> of the agent's webhooks")
    .option('--by <name>', 'who wants it, for the record (default: your account)')
    .action(action<[string], Options>(context, (session, options, text) => perform(session, verb, options, text)));
}

async function perform(session: Session, verb: 'notify' | 'revoke', { to, by = actor() }: Options, text: string): Promise<number> {
  const { notice } = await session.client()[verb](await askIdOf(session, text, verb), to, by);
  if (session.json) printJson(session.terminal, { notice });
  else printLines(session.terminal, [noticeLine(notice, Date.now())]);
  return EXIT.ok;
}
