import type { Command } from 'commander';
import { action, type Context } from '../action.ts';
import { attachments, collect } from '../attach.ts';
import { EXIT, printJson, printLines } from '../output.ts';
import { findRun } from '../session.ts';

/** Adds `message`: says something to a run while it works. */
export function addMessage(program: Command, context: Context): void {
  program
    .command('message')
    .description('send a message to a run; its next step takes it into the log')
    .argument('<run>', 'its id, or a unique beginning or end of it')
    .argument('<text...>', 'the message')
    .option('--attach <path>', 'send a file with it, a picture for instance; once for each', collect, [])
    .action(
      action<[string, string[]], { attach: string[] }>(context, async (session, { attach }, text, words) => {
        const files = attachments(session.terminal, attach);
        const message = { text: words.join(' '), ...(files.length > 0 ? { files } : {}) };
        const sent = await session.client().message(await findRun(session, text), message);
        if (session.json) printJson(session.terminal, sent);
        else printLines(session.terminal, [`sent to ${sent.runId}`]);
        return EXIT.ok;
      }),
    );
}
