import type { DayTotals, RunSummary } from '../shared/api.ts';
import { inWords } from '../shared/raise.ts';
import { oneLine } from './clean.ts';
import { duration, type Paint, type Style } from './output.ts';

const STYLE: Record<RunSummary['status'], Style> = {
  running: 'cyan',
  waiting: 'yellow',
  interrupted: 'yellow',
  completed: 'green',
  failed: 'red',
  cancelled: 'yellow',
  erased: 'dim',
  imported: 'dim',
};

/** The status of a run, coloured by its kind. */
export const statusWord = (status: RunSummary['status'], paint: Paint): string => paint(STYLE[status], status);

/** The step in flight as a reader says it: `<kind>:<cursor>` becomes "model step after #4". */
export function stepText({ step, attempts }: RunSummary): string {
  const [kind = '', cursor] = step.split(':');
  const place = cursor && cursor !== '0' ? ` after #${cursor}` : '';
  return kind ? `${kind} step${place}, attempt ${attempts}` : 'none yet';
}

/** What is left of an erased run, for a reader. */
export function erasedLines({ runId, erased }: RunSummary): string[] {
  if (!erased) return [];
  const counts = Object.entries(erased.removed).map(([kind, times]) => `${times} ${kind}`);
  const state = erased.doneAt === undefined ? 'is being erased' : 'was erased';
  return [
    `${runId} ${state} by ${oneLine(erased.by, 80)}, begun ${new Date(erased.at).toISOString()}: ${counts.join(', ') || 'nothing yet'}`,
  ];
}

/** What a reader wants to know of a run before its log. */
export function summaryLines(run: RunSummary, now: number, paint: Paint): string[] {
  const { totals } = run;
  const facts: [string, string][] = [
    ['run', run.runId],
    ['agent', `${oneLine(run.agent, 40)} (model ${oneLine(run.model, 80)})`],
    ['status', `${statusWord(run.status, paint)}: ${oneLine(run.reason, 300)}${run.cancelling ? ' (a cancel was asked for)' : ''}`],
    ['step', `${stepText(run)}, segment ${run.segment}`],
    ['since', `${new Date(run.createdAt).toISOString()}, last sign of life ${duration(now - run.seenAt)} ago`],
    [
      'so far',
      `${totals.turns} turns, ${totals.inputTokens} in (${totals.cacheReadTokens} read from the cache, ${totals.cacheWriteTokens} written to it), ${totals.outputTokens} out tokens, ${costText(run)}`,
    ],
    ...(run.summarizedTo
      ? ([['view', `records 2 to ${run.summarizedTo} are summed up for the model ("summaries" shows how)`]] as [string, string][])
      : []),
    ...lineageLines(run),
    ...(run.limits ? ([['budgets', budgetTexts(run).join(', ')]] as [string, string][]) : []),
    ...(run.removeAt === undefined ? [] : ([['kept', `until ${new Date(run.removeAt).toISOString()}`]] as [string, string][])),
    ...(run.imported
      ? ([['import', `of ${new Date(run.imported.at).toISOString()} by ${oneLine(run.imported.by, 80)}: to be looked at`]] as [
          string,
          string,
        ][])
      : []),
    ...(run.erased ? ([['erased', (erasedLines(run)[0] ?? '').slice(run.runId.length + 1)]] as [string, string][]) : []),
    ...(run.ask ? ([['ask', `${run.ask.id} (${run.ask.kind})`]] as [string, string][]) : []),
  ];
  return facts.map(([name, value]) => `${paint('dim', name.padEnd(8))}${value}`);
}

/** Where a run comes from, in words. */
export function branchText({ parent }: Pick<RunSummary, 'parent'>): string | undefined {
  if (!parent) return undefined;
  const by = `by ${oneLine(parent.by, 80)}`;
  return parent.kind === 'restart'
    ? `starts ${parent.runId} over (${by})`
    : `branches off from ${parent.runId} after #${parent.at} (${by})`;
}

function lineageLines(run: RunSummary): [string, string][] {
  const from = branchText(run);
  const others = run.children?.filter((id) => id !== run.restartedAs) ?? [];
  return [
    ...(from ? ([['from', from]] as [string, string][]) : []),
    ...(run.restartedAs ? ([['now', `started over as ${run.restartedAs}`]] as [string, string][]) : []),
    ...(others.length > 0 ? ([['forks', others.join(', ')]] as [string, string][]) : []),
  ];
}

/** What the tokens so far cost, as far as it is known. */
export function costText({ costUsd, totals }: Pick<RunSummary, 'costUsd'> & Partial<Pick<RunSummary, 'totals'>>): string {
  if (costUsd === 0) return 'no cost';
  if (costUsd !== undefined) return `about ${dollars(costUsd)}`;
  return totals?.costUsd ? `cost unknown (${dollars(totals.costUsd)} is known of)` : 'cost unknown';
}

const dollars = (amount: number): string =>
  amount > 0 && amount < 0.0001 ? inWords('costUsd', amount) : `$${amount.toFixed(amount < 1 ? 4 : 2)}`;

/** The budgets that are limited, as far as they are spent: turns always, the others where somebody limits them. */
export function budgetTexts({ totals, limits }: RunSummary): string[] {
  if (!limits) return [];
  const { turns, seconds, tokens, costUsd } = limits;
  const used = totals.inputTokens + totals.outputTokens;
  return [
    `${totals.turns} of ${turns} turns`,
    ...(seconds === undefined ? [] : [`${duration(totals.activeMs ?? 0)} of ${duration(seconds * 1000)} at work`]),
    ...(tokens === undefined ? [] : [`${used} of ${tokens} tokens`]),
    ...(costUsd === undefined ? [] : [`${dollars(totals.costUsd ?? 0)} of ${dollars(costUsd)}`]),
  ];
}

/** What an agent's runs have spent on a day, of what they may where that is limited. */
export function dayText({ day, runs, totals, costUsd, limits }: DayTotals): string {
  const of = (amount: string | number, limit: string | number | undefined) => (limit === undefined ? `${amount}` : `${amount} of ${limit}`);
  const cache = `${totals.cacheReadTokens} read from the cache, ${totals.cacheWriteTokens} written to it`;
  const cost = costText({ costUsd, totals });
  return [
    `${day} (UTC): ${of(runs, limits.runs)} runs`,
    `${totals.turns} turns`,
    `${of(totals.inputTokens + totals.outputTokens, limits.tokens)} tokens (${cache})`,
    of(cost, limits.costUsd === undefined ? undefined : dollars(limits.costUsd)),
  ].join(', ');
}

/** One line on what keeps a run between two records, or undefined when there is nothing to say. */
export function delayLine(run: RunSummary, now: number): string | undefined {
  if (run.cancelling) return 'a cancel was asked for; the step in flight is let go first';
  if (run.status === 'interrupted') return `interrupted: ${oneLine(run.reason, 200)}`;
  if (run.status !== 'running') return undefined;
  if (run.waitUntil !== undefined && run.waitUntil > now)
    return `waits: ${oneLine(run.reason, 200)}; next try in ${duration(run.waitUntil - now)}`;
  return run.attempts > 1 ? `${stepText(run)}: ${oneLine(run.reason, 200)}` : undefined;
}

/** How to answer the ask of a waiting run. */
export function answerHint(run: RunSummary): string[] {
  if (!run.ask) return [];
  const command = `npx holdfast answer ${run.ask.id}`;
  return run.ask.kind === 'approval' || run.ask.kind === 'outcome-unknown'
    ? [`answer with: ${command} --yes | --no`]
    : [`answer with: ${command} --decision <one of the answers above>`];
}
