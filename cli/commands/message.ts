import type { Command } from 'commander';
import { action, type Context } from '../action.ts';
import { EXIT, printJson, printLines } from '../output.ts';
import { findRun } from '../session.ts';

/** Adds `message`: says something to a run while it works. */
export function addMessage(program: Command, context: Context): void {
  program
    .command('message')
    .description('send a message to a run; its next step takes it into the log')
    .argument('<run>', 'its id, or a unique beginning or end of it')
    .argument('<text...>', 'the message')
    .action(
      action<[string, string[]]>(context, async (session, _options, text, words) => {
        const sent = await session.client().message(await findRun(session, text), words.join(' '));
        if (session.json) printJson(session.terminal, sent);
        else printLines(session.terminal, [`sent to ${sent.runId}`]);
        return EXIT.ok;
      }),
    );
}
