import { type Command, Option } from 'commander';
import type { RunSummary } from '../../shared/api.ts';
import { runStatus } from '../../shared/meta.ts';
import { action, type Context } from '../action.ts';
import { oneLine } from '../clean.ts';
import { duration, EXIT, type Paint, printJson, printLines, tableLines } from '../output.ts';

interface Options {
  readonly status?: string;
  readonly agent?: string;
  readonly limit?: string;
  readonly before?: string;
}

/** Adds `ls`: the latest runs, newest first. */
export function addLs(program: Command, context: Context): void {
  program
    .command('ls')
    .description('list runs, newest first')
    .addOption(new Option('--status <status>', 'only runs in this status').choices(runStatus.options))
    .option('--agent <name>', 'only runs of this agent')
    .option('--limit <n>', 'at most so many (1 to 100)', '20')
    .option('--before <cursor>', 'the page after this one, as the last page said')
    .action(
      action<[], Options>(context, async (session, options) => {
        const page = await session.client().runs({ ...options });
        if (session.json) printJson(session.terminal, page);
        else printLines(session.terminal, pageLines(page.runs, page.next, session.paint));
        return EXIT.ok;
      }),
    );
}

function pageLines(runs: readonly RunSummary[], next: string | undefined, paint: Paint): string[] {
  if (runs.length === 0) return ['no runs'];
  const rows = runs.map((run) => rowOf(run, Date.now()));
  const more = next === undefined ? [] : [paint('dim', `more: npx holdfast ls --before ${oneLine(next, 400)}`)];
  return [...tableLines(['run', 'agent', 'status', 'age', 'turns', 'tokens', 'reason'], rows, paint), ...more];
}

const rowOf = (run: RunSummary, now: number): string[] => [
  run.runId,
  oneLine(run.agent, 40),
  run.status,
  duration(now - run.createdAt),
  String(run.totals.turns),
  String(run.totals.inputTokens + run.totals.outputTokens),
  [oneLine(run.reason, 70), ...(run.parent ? [`(${run.parent.kind} of ${run.parent.runId})`] : [])].join(' '),
];
