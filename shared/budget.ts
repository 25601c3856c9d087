import { begunAfter } from './branch.ts';
import { type Log, latest } from './log.ts';
import type { Totals } from './meta.ts';
import type { Policy } from './policy.ts';
import { costOf, exact, type Price } from './prices.ts';
import { inWords } from './raise.ts';
import type { Ask, AskedBudget, BudgetName, BudgetUnit, Draft, RunRecord, Usage } from './record.ts';
import { filesOf } from './record-files.ts';
import { sumOf } from './spent.ts';
import { answersOf, standings } from './standing.ts';
import { tokensOf } from './tokens.ts';
import { totalsOf } from './totals.ts';
import { taskText } from './view.ts';

/** What is known of a run's next model step beside its log. */
export interface PlannedStep {
  /** `<provider>/<model id>`, and its price where the agent says it. */
  readonly model: string;
  readonly price?: Price | undefined;
  /** Tokens of what stands before the log: instructions and tools. */
  readonly overheadTokens: number;
  /** The most that one record is shown to the model with, tokens. */
  readonly mostTokens?: number | undefined;
  /** What summaries have cost, of which the log knows nothing. */
  readonly summaries?: Totals | undefined;
  readonly maxOutputTokens?: number | undefined;
}

/** What a step is expected to spend; no `costUsd` when the price is not known. */
export interface Estimate {
  readonly tokens: number;
  readonly costUsd?: number;
}

/** Output of a first reply, tokens. */
const FIRST_OUTPUT = 1_000;
/** Replies that are looked back at: the longest of them stands for the next. */
const LOOK_BACK = 10;

/**
 * Estimates what the next model step will spend: as much input as the last one had with all that came since, priced as if
 * the cache held no more than then, and as much output as the longest of the last ten replies.
 */
export function estimateOf(
  log: Log,
  { model, price, overheadTokens, maxOutputTokens, mostTokens = Number.POSITIVE_INFINITY }: PlannedStep,
): Estimate {
  const last = latest(log, 'reply');
  const before = last ? last.usage.inputTokens + last.usage.outputTokens : overheadTokens;
  const inputTokens = before + log.slice(last?.seq ?? 0).reduce((sum, record) => sum + Math.min(tokensOf(toldIn(record)), mostTokens), 0);
  const usage = { inputTokens, outputTokens: Math.min(longestOutput(log), maxOutputTokens ?? Number.POSITIVE_INFINITY) };
  const costUsd = costOf(model, { ...usage, ...cachedAs(last?.usage, inputTokens) }, price);
  return { tokens: usage.inputTokens + usage.outputTokens, ...(costUsd === undefined ? {} : { costUsd }) };
}

/** What of a record the model is told. */
function toldIn(record: RunRecord): string {
  const texts =
    record.type === 'task' || record.type === 'user' ? filesOf(record).flatMap(({ text }) => [text?.head ?? '', text?.tail ?? '']) : [];
  if (record.type === 'task') return [taskText(record), ...texts].join('\n');
  if (record.type === 'user') return [...record.messages.map(({ text }) => text), ...texts].join('\n');
  return record.type === 'results' ? JSON.stringify(record.results.map(({ output }) => output)) : '';
}

function longestOutput(log: Log): number {
  let longest = 0;
  let seen = 0;
  for (let i = log.length - 1; i >= 0 && seen < LOOK_BACK; i--) {
    const record = log[i] as RunRecord;
    if (record.type === 'reply') longest = Math.max(longest, record.usage.outputTokens);
    if (record.type === 'reply') seen++;
  }
  return seen === 0 ? FIRST_OUTPUT : longest;
}

/** Where the last step wrote to the cache, this one writes all that it does not read from it. */
function cachedAs({ cacheReadTokens = 0, cacheWriteTokens = 0 }: Partial<Usage> = {}, inputTokens: number) {
  return { cacheReadTokens, cacheWriteTokens: cacheWriteTokens > 0 ? Math.max(0, inputTokens - cacheReadTokens) : 0 };
}

/** The limits that a run is held to now: its policy's, and what people raised them by. */
export function limitsOf({ maxTurns, maxSeconds, maxTokens, maxCostUsd }: Policy, raised: Totals['raised'] = {}) {
  const sum = (limit: number | undefined, more = 0) => (limit === undefined ? undefined : exact(limit + more));
  return {
    turns: maxTurns + (raised.turns ?? 0),
    seconds: sum(maxSeconds, raised.seconds),
    tokens: sum(maxTokens, raised.tokens),
    costUsd: sum(maxCostUsd, raised.costUsd),
  };
}

/** Returns the ask for the first budget of the run that its next model step would overdraw. `now` is ms since the epoch. */
export function limitReached(log: Log, policy: Policy, planned: PlannedStep | undefined, now: number): Draft<Ask> | undefined {
  const totals = planned?.summaries ? sumOf(totalsOf(log), planned.summaries) : totalsOf(log);
  const limits = limitsOf(policy, totals.raised);
  if (totals.turns + 1 > limits.turns)
    return asked('turn-limit', 'turns', { spent: totals.turns, step: 1, limit: limits.turns, own: policy.maxTurns });
  const seconds = workedUntil(log, totals, now) / 1000;
  if (limits.seconds !== undefined && seconds >= limits.seconds)
    return asked('time-limit', 'seconds', { spent: Math.ceil(seconds), step: 1, limit: limits.seconds, own: policy.maxSeconds });
  if (!planned || (limits.tokens === undefined && limits.costUsd === undefined)) return undefined;
  const next = estimateOf(log, planned);
  const tokens = totals.inputTokens + totals.outputTokens;
  if (limits.tokens !== undefined && tokens + next.tokens > limits.tokens)
    return asked('token-limit', 'tokens', { spent: tokens, step: next.tokens, limit: limits.tokens, own: policy.maxTokens });
  if (limits.costUsd === undefined) return undefined;
  const { costUsd: spent = 0 } = totals;
  const money = { spent, limit: limits.costUsd, own: policy.maxCostUsd };
  if (next.costUsd === undefined && !letGoOn(log)) return asked('cost-limit', 'costUsd', { ...money, step: 0, unpriced: true });
  return spent + (next.costUsd ?? 0) > money.limit ? asked('cost-limit', 'costUsd', { ...money, step: next.costUsd ?? 0 }) : undefined;
}

/** Whether somebody said since the last reply that the run may go on at its budget of money: for one step, where no price is known. */
function letGoOn(log: Log): boolean {
  for (let i = log.length - 1; i >= 0; i--) {
    const record = log[i] as RunRecord;
    if (record.type === 'reply') return false;
    if (record.type === 'ask' && record.questions[0]?.budget?.name === 'cost-limit') return decidedIn(log, record) === 'raise';
  }
  return false;
}

function workedUntil(log: Log, { activeMs = 0 }: Totals, now: number): number {
  const last = log.at(-1);
  return activeMs + (last ? Math.max(0, now - begunAfter(log, last)) : 0);
}

/** A budget that the next step would overdraw, in its unit; `own` is its limit before anybody raised it. */
export interface Overdrawn {
  readonly spent: number;
  /** What the next step is expected to spend. */
  readonly step: number;
  readonly limit: number;
  readonly own?: number | undefined;
  readonly day?: string;
  /** Whether nobody knows what the step will cost. */
  readonly unpriced?: boolean;
}

/** At most this many times its own limit is a budget raised at once: a slip of the finger stays small. */
export const MOST_TIMES = 10;

/** The ask about a budget: raise it, finish up, or stop. */
export function asked(
  name: BudgetName,
  unit: BudgetUnit,
  { spent, step, limit, own = limit, day, unpriced = false }: Overdrawn,
): Draft<Ask> {
  const least = exact(Math.max(spent + step - limit, unit === 'costUsd' ? 1e-10 : 1));
  const by = Math.max(own, least);
  const most = Math.max(exact(own * MOST_TIMES), least);
  const budget: AskedBudget = { name, unit, limit, spent, by, least, most, ...(day === undefined ? {} : { day }) };
  const text = `${sentences(budget, unpriced ? undefined : step)} Raise the limit (by ${inWords(unit, by)} unless you say by how much), let the run finish up in one more turn without tools, or stop it here?`;
  const choices = day === undefined ? (['raise', 'finish', 'stop'] as const) : (['raise', 'retry', 'finish', 'stop'] as const);
  return { type: 'ask', kind: 'escalation', reason: name, questions: [{ kind: 'escalation', text, choices: [...choices], budget }] };
}

function sentences({ unit, spent, limit, day }: AskedBudget, step: number | undefined): string {
  const of = `${inWords(unit, spent)} of ${inWords(unit, limit)}`;
  if (day !== undefined) return `The runs of this agent have spent ${of} on ${day} (UTC), ${expected(unit, step)}.`;
  if (unit === 'turns') return `The run has had ${inWords(unit, spent)}, its limit.`;
  if (unit === 'seconds') return `The run has worked for ${of}; what it waited for answers is not counted.`;
  return `The run has spent ${of}, ${expected(unit, step)}.`;
}

const expected = (unit: BudgetUnit, step: number | undefined): string =>
  step === undefined
    ? 'and the price of its next step is not known'
    : unit === 'runs'
      ? 'and this would be one more'
      : `and its next step is expected to take ${inWords(unit, step)}`;

/** Returns the budget at which somebody had the run finish up, from that answer until the run has ended. */
export function finishingAt(log: Log): BudgetName | undefined {
  for (let i = log.length - 1, replies = 0; i >= 0; i--) {
    const record = log[i] as RunRecord;
    if (record.type === 'task' || record.type === 'user' || record.type === 'end') return undefined;
    if (record.type === 'reply' && ++replies > 1) return undefined;
    const budget = record.type === 'ask' ? record.questions[0]?.budget : undefined;
    if (budget && record.type === 'ask') return decidedIn(log, record) === 'finish' ? budget.name : undefined;
  }
  return undefined;
}

const decidedIn = (log: Log, ask: Ask) => standings(ask, answersOf(log, ask))[0]?.settled?.answer.decision;
