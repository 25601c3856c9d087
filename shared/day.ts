import * as z from 'zod';
import type { DayTotals } from './api.ts';
import { asked, type Estimate } from './budget.ts';
import type { BudgetPerDay } from './policy.ts';
import { exact } from './prices.ts';
import { type Ask, type BudgetUnit, type Draft, SCHEMA_VERSION } from './record.ts';

const count = z.number().default(0);

/** What the runs of one agent have spent in one day, UTC: sums that each step adds to. */
export const daySpend = z.object({
  v: z.literal(SCHEMA_VERSION),
  agent: z.string(),
  /** `yyyy-mm-dd` */
  day: z.string(),
  /** Runs that had their first reply on this day, and what the replies and summaries of all runs took. */
  runs: count,
  turns: count,
  inputTokens: count,
  outputTokens: count,
  cacheReadTokens: count,
  cacheWriteTokens: count,
  costUsd: count,
  /** Requests whose price was not known. */
  unpriced: count,
  /** What is spent or reserved, less what people raised the limits by: this is held against the limits. */
  usedRuns: count,
  usedTokens: count,
  usedCostUsd: count,
  raisedRuns: count,
  raisedTokens: count,
  raisedCostUsd: count,
  /** Steps that have reserved and not settled, `<runId>#<cursor>`. */
  steps: z.set(z.string()).optional(),
  /** Asks whose raise is counted. */
  raises: z.set(z.string()).optional(),
});
export type DaySpend = z.infer<typeof daySpend>;

/** What of a day's budget a step takes. */
export interface Share {
  readonly runs: number;
  readonly tokens: number;
  readonly costUsd: number;
}

/** What a step reserves: what it is expected to spend, and a run if it is the run's first. */
export const shareOf = ({ tokens, costUsd = 0 }: Estimate, isFirst: boolean): Share => ({ runs: isFirst ? 1 : 0, tokens, costUsd });

/** The attributes that each limit is held against. */
export const DAY_UNITS = {
  runs: { used: 'usedRuns', raised: 'raisedRuns' },
  tokens: { used: 'usedTokens', raised: 'raisedTokens' },
  costUsd: { used: 'usedCostUsd', raised: 'raisedCostUsd' },
} as const satisfies Partial<Record<BudgetUnit, { used: keyof DaySpend; raised: keyof DaySpend }>>;
export type DayUnit = keyof typeof DAY_UNITS;
export const dayUnits = Object.keys(DAY_UNITS) as DayUnit[];

/** How much may be used before a step takes its share, by each limit that the share counts against. */
export const roomFor = (limits: BudgetPerDay, share: Share): { readonly unit: DayUnit; readonly most: number }[] =>
  dayUnits.flatMap((unit) => {
    const limit = limits[unit];
    return limit === undefined || share[unit] === 0 ? [] : [{ unit, most: exact(limit - share[unit]) }];
  });

/** The ask for the first limit of a day that a step's share would overdraw, or undefined when there is room. */
export function dayLimitReached(day: DaySpend, limits: BudgetPerDay, share: Share): Draft<Ask> | undefined {
  const over = roomFor(limits, share).find(({ unit, most }) => day[DAY_UNITS[unit].used] > most);
  if (!over) return undefined;
  const { used, raised } = DAY_UNITS[over.unit];
  const own = limits[over.unit] as number;
  const more = day[raised];
  const spent = { spent: exact(day[used] + more), step: share[over.unit], limit: exact(own + more), own };
  return asked('day-limit', over.unit, { ...spent, day: day.day });
}

/** What the API shows of a day. */
export function dayTotalsOf(spend: DaySpend, limits: BudgetPerDay): DayTotals {
  const { day, runs, turns, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd, unpriced } = spend;
  const totals = { turns, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd, ...(unpriced > 0 ? { unpriced } : {}) };
  const raised = dayUnits.flatMap((unit) => {
    const limit = limits[unit];
    return limit === undefined ? [] : [[unit, exact(limit + spend[DAY_UNITS[unit].raised])] as const];
  });
  return { day, runs, totals, ...(unpriced > 0 ? {} : { costUsd }), limits: Object.fromEntries(raised) };
}
