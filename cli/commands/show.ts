import type { Command } from 'commander';
import { planOf, planText } from '../../shared/plan.ts';
import type { RunRecord } from '../../shared/record.ts';
import { action, type Context } from '../action.ts';
import { escapedJson, oneLine } from '../clean.ts';
import { EXIT, type Paint, printJson, printLines, UsageError } from '../output.ts';
import { findRun, unclipped, wholeRecord, wholeRun } from '../session.ts';
import { answerHint, summaryLines } from '../status.ts';
import { timelineLines } from '../timeline.ts';

/** Adds `show`: one run, with its whole log. */
export function addShow(program: Command, context: Context): void {
  program
    .command('show')
    .description('show a run and its log; with --json nothing is clipped or hidden')
    .argument('<run>', 'its id, or a unique beginning or end of it')
    .option('--record <seq>', 'write one record instead, whole, as JSON')
    .action(
      action<[string], { record?: string }>(context, async (session, { record }, text) => {
        const { terminal, paint } = session;
        const runId = await findRun(session, text);
        if (record !== undefined) {
          terminal.out(`${escapedJson(await wholeRecord(session, runId, seqOf(record)))}\n`);
          return EXIT.ok;
        }
        const found = await wholeRun(session, runId);
        if (session.json)
          printJson(terminal, { run: found.run, records: await inOrder(found.records, (each) => unclipped(session, runId, each)) });
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

function seqOf(text: string): number {
  const seq = Number(text);
  if (Number.isSafeInteger(seq) && seq > 0) return seq;
  throw new UsageError(`Cannot show record "${text.slice(0, 40)}": it must be its number, as "show" writes it after "#"`);
}

/** Large records are fetched one at a time. */
async function inOrder<T, R>(all: readonly T[], make: (each: T) => Promise<R>): Promise<R[]> {
  const made: R[] = [];
  for (const each of all) made.push(await make(each));
  return made;
}
