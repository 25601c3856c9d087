import type { Command } from 'commander';
import type { PinResponse } from '../../shared/api.ts';
import { action, type Context } from '../action.ts';
import { cleanText, oneLine } from '../clean.ts';
import { EXIT, type Paint, printJson, printLines, UsageError } from '../output.ts';
import { findRun, type Session } from '../session.ts';
import { statusWord } from '../status.ts';

interface Options {
  readonly by?: string;
  readonly yes?: true;
}

/** Adds `pin` and `repin`. */
export function addPins(program: Command, context: Context): void {
  program
    .command('pin')
    .description('show what a run is pinned to, and what is different in the code in service; with --json in full')
    .argument('<run>', 'its id, or a unique beginning or end of it')
    .action(action<[string]>(context, (session, _options, text) => show(session, text)));
  program
    .command('repin')
    .description('give a run to the code in service: says what is different, and with --yes does it')
    .argument('<run>', 'its id, or a unique beginning or end of it')
    .option('--by <name>', 'who answers for it, for the log')
    .option('--yes', 'do it')
    .action(action<[string], Options>(context, (session, options, text) => repin(session, options, text)));
}

async function show(session: Session, text: string): Promise<number> {
  const found = await session.client().pin(await findRun(session, text));
  if (session.json) printJson(session.terminal, found);
  else printLines(session.terminal, [...pinLines(found, session.paint), ...driftLines(found, session.paint)]);
  return EXIT.ok;
}

/** What was shown is what is adopted: other code that comes into service meanwhile is refused. */
async function repin(session: Session, { by, yes }: Options, text: string): Promise<number> {
  if (yes && by === undefined) throw new UsageError('Cannot repin: nobody answers for it; say --by with a name');
  const runId = await findRun(session, text);
  const found = await session.client().pin(runId);
  if (!yes || by === undefined) {
    if (session.json) printJson(session.terminal, found);
    else
      printLines(session.terminal, [...driftLines(found, session.paint), session.paint('dim', 'to adopt it, say --by <name> --yes too')]);
    return EXIT.ok;
  }
  const { run } = await session.client().repin(runId, by, found.drift?.hash ?? 'none');
  if (session.json) printJson(session.terminal, { run });
  else printLines(session.terminal, [`${run.runId} ${statusWord(run.status, session.paint)}: ${oneLine(run.reason, 300)}`]);
  return EXIT.ok;
}

/** What a run is pinned to. */
export function pinLines({ runId, pin }: PinResponse, paint: Paint): string[] {
  const { model, served = [], machine, instructions, settings, tools = {} } = pin;
  const facts: [string, string][] = [
    ['run', runId],
    ['model', `${oneLine(model, 100)}${served.length > 0 ? `, served as ${oneLine(served.join(', '), 200)}` : ''}`],
    ['code', oneLine(machine, 200)],
    ['text', instructions === undefined ? 'not kept: the run is older' : `instructions ${instructions}, settings ${settings ?? 'unknown'}`],
    ...Object.entries(tools).map(([name, tool]) => ['tool', `${oneLine(name, 64)} ${tool.class} ${tool.hash}`] as [string, string]),
  ];
  return facts.map(([name, value]) => `${paint('dim', name.padEnd(8))}${value}`);
}

/** What is different in the code in service. */
export function driftLines({ drift }: PinResponse, paint: Paint): string[] {
  if (!drift) return [paint('yellow', 'the code in service has no such agent')];
  if (drift.changes.length === 0) return ['the code in service is the same'];
  return ['in the code in service:', ...drift.changes.flatMap((change) => `- ${cleanText(change)}`.split('\n').map((line) => `  ${line}`))];
}
