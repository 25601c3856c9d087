import type { Command } from 'commander';
import type { Raises } from '../../shared/record.ts';
import { action, type Context } from '../action.ts';
import { oneLine } from '../clean.ts';
import { amountOption } from '../input.ts';
import { EXIT, printJson, printLines, UsageError } from '../output.ts';
import { actor, findRun, type Session } from '../session.ts';
import { budgetTexts, costText } from '../status.ts';

interface Options {
  readonly raise?: readonly string[];
  readonly message?: string;
  readonly by?: string;
}

/** What a person calls the budgets of a run. */
const UNITS = { turns: 'turns', seconds: 'seconds', tokens: 'tokens', cost: 'costUsd' } as const satisfies Record<string, keyof Raises>;
type Name = keyof typeof UNITS;

/** Adds `budget`: shows what a run has spent of its budgets, and raises them. */
export function addBudget(program: Command, context: Context): void {
  program
    .command('budget')
    .description('show what a run has spent of its budgets, or raise them; one that has ended at a limit goes on')
    .argument('<run>', 'its id, or a unique beginning or end of it')
    .option('--raise <budget=amount>', 'turns, seconds, tokens or cost (US dollars), by so much; may be said for each', collected)
    .option('--message <text>', 'what the agent is told with it')
    .option('--by <name>', 'who does it, for the log (default: your account)')
    .action(action<[string], Options>(context, budget));
}

async function budget(session: Session, { raise: given, message, by }: Options, text: string): Promise<number> {
  if (!given && message !== undefined) throw new UsageError('Cannot send the message: say --raise with it, or use "holdfast message"');
  const raise = raisesIn(given ?? []);
  const runId = await findRun(session, text);
  return given
    ? raised(session, runId, { raise, by: by ?? actor(), ...(message === undefined ? {} : { text: message }) })
    : shown(session, runId);
}

async function raised(session: Session, runId: string, request: { raise: Raises; by: string; text?: string }): Promise<number> {
  const sent = await session.client().raise(runId, request);
  if (session.json) printJson(session.terminal, sent);
  else printLines(session.terminal, [`raised; the next step of ${runId} knows it`]);
  return EXIT.ok;
}

async function shown(session: Session, runId: string): Promise<number> {
  const { run } = await session.client().records(runId, { limit: 1 });
  if (session.json) printJson(session.terminal, { runId, totals: run.totals, limits: run.limits, costUsd: run.costUsd });
  else printLines(session.terminal, [...budgetTexts(run), costText(run)]);
  return EXIT.ok;
}

function raisesIn(given: readonly string[]): Raises {
  const entries = given.map((text) => {
    const [, name = '', amount = ''] = /^(\w+)=(.*)$/.exec(text) ?? [];
    if (!Object.hasOwn(UNITS, name))
      throw new UsageError(`Cannot raise "${oneLine(text, 60)}": say ${Object.keys(UNITS).join(', ')}, "=" and by how much`);
    return [UNITS[name as Name], amountOption('--raise', amount)] as const;
  });
  const twice = entries.find(([unit], i) => entries.findIndex(([each]) => each === unit) !== i);
  if (twice) throw new UsageError(`Cannot raise the budget: ${twice[0]} is said twice`);
  return Object.fromEntries(entries);
}

const collected = (text: string, before: readonly string[] = []): string[] => [...before, text];
