import type { Command } from 'commander';
import { planOf, planText } from '../../shared/plan.ts';
import type { RunRecord } from '../../shared/record.ts';
import { action, type Context } from '../action.ts';
import { oneLine } from '../clean.ts';
import { EXIT, type Paint, printJson, printLines } from '../output.ts';
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
          printLines(terminal, [
            ...summaryLines(found.run, Date.now(), paint),
            ...planLines(found.records, paint),
            '',
            ...lines,
            ...answerHint(found.run),
          ]);
        }
        return EXIT.ok;
      }),
    );
}

/** The agent's task list, as it set it last. */
function planLines(records: readonly RunRecord[], paint: Paint): string[] {
  const plan = planOf(records);
  return plan
    ? [
        paint('dim', 'plan'),
        ...planText(plan)
          .split('\n')
          .map((line) => `  ${oneLine(line, 200)}`),
      ]
    : [];
}
