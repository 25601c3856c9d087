import type { Command } from 'commander';
import { action, type Context } from '../action.ts';
import { EXIT, printJson, printLines } from '../output.ts';
import { findRun, wholeRun } from '../session.ts';
import { answerHint, summaryLines } from '../status.ts';
import { timelineLines } from '../timeline.ts';

/** Adds `show`: one run, with its whole log. */
export function addShow(program: Command, context: Context): void {
  program
    .command('show')
    .description('show a run and its log; with --json nothing is clipped or hidden')
    .argument('<run>', 'its id, or a unique beginning or end of it')
    .action(
      action<[string]>(context, async (session, _options, text) => {
        const found = await wholeRun(session, await findRun(session, text));
        const { terminal, paint } = session;
        if (session.json) printJson(terminal, found);
        else {
          const lines = timelineLines(found.records, { runId: found.run.runId, paint, width: terminal.columns });
          printLines(terminal, [...summaryLines(found.run, Date.now(), paint), '', ...lines, ...answerHint(found.run)]);
        }
        return EXIT.ok;
      }),
    );
}
