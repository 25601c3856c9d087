import { DAY_UNITS, type DaySpend, type DayUnit, daySpend, roomFor, type Share } from '../../shared/day.ts';
import type { Totals } from '../../shared/meta.ts';
import type { BudgetPerDay } from '../../shared/policy.ts';
import { exact } from '../../shared/prices.ts';
import { SCHEMA_VERSION } from '../../shared/record.ts';
import { dayKey, RUN_TABLE } from '../../shared/tables.ts';
import { get, type Item, updateIf } from './dynamo.ts';
import { readItem } from './item.ts';

/** The day of a time, UTC, `yyyy-mm-dd`. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** How long the sums of a day are kept, s. */
const KEPT_SECONDS = 400 * 24 * 3600;

/** One agent's item of one day. */
export interface Day {
  readonly agent: string;
  readonly day: string;
}

const fresh = ({ agent, day }: Day) => ({ v: SCHEMA_VERSION, agent, day });
const keyOf = ({ agent, day }: Day) => dayKey(agent, day);

/** Reads what was spent on a day: nothing, where nothing is stored. */
export async function readDay(of: Day): Promise<DaySpend> {
  const item = await get(keyOf(of));
  return readItem(daySpend, (item ?? { ...keyOf(of), ...fresh(of) }) as Item);
}

/**
 * Reserves a step's share, once, however often it is asked. Without limits it always does. Returns the day as it is then, or
 * undefined when it reserved nothing: there is no room, or the step has reserved already.
 */
export async function reserve(of: Day, step: string, share: Share, limits: BudgetPerDay): Promise<DaySpend | undefined> {
  const room = roomFor(limits, share).map(({ unit, most }) => ({ used: DAY_UNITS[unit].used, most }));
  if (room.some(({ most }) => most < 0)) return undefined;
  const fits = room.map(({ used }) => ` AND (attribute_not_exists(#${used}) OR #${used} <= :${used})`).join('');
  const adds: [string, number | Set<string>][] = [
    ['usedRuns', share.runs],
    ['usedTokens', share.tokens],
    ['usedCostUsd', share.costUsd],
    ['steps', new Set([step])],
  ];
  return add(of, adds, `NOT contains(#steps, :step)${fits}`, {
    ':step': step,
    ...Object.fromEntries(room.map(({ used, most }) => [`:${used}`, most])),
  });
}

/** Puts what a step took in place of what it had reserved; once, and only if it had. */
export async function settle(of: Day, step: string, share: Share, took: Totals, isFirst: boolean): Promise<void> {
  const runs = isFirst && took.turns > 0 ? 1 : 0;
  const adds: [string, number][] = [
    ['usedRuns', runs - share.runs],
    ['usedTokens', took.inputTokens + took.outputTokens - share.tokens],
    ['usedCostUsd', exact((took.costUsd ?? 0) - share.costUsd)],
    ['runs', runs],
    ['turns', took.turns],
    ['inputTokens', took.inputTokens],
    ['outputTokens', took.outputTokens],
    ['cacheReadTokens', took.cacheReadTokens],
    ['cacheWriteTokens', took.cacheWriteTokens],
    ['costUsd', took.costUsd ?? 0],
    ['unpriced', took.unpriced ?? 0],
  ];
  await add(of, adds, 'contains(#steps, :step)', { ':step': step }, step);
}

/** Raises a limit of a day, once for each ask. */
export async function raiseDay(of: Day, askId: string, unit: DayUnit, amount: number): Promise<void> {
  const { used, raised } = DAY_UNITS[unit];
  const adds: [string, number | Set<string>][] = [
    [used, -amount],
    [raised, amount],
    ['raises', new Set([askId])],
  ];
  await add(of, adds, 'NOT contains(#raises, :ask)', { ':ask': askId });
}

/** Adds to the item of a day, which is made where it is not there yet, if the condition holds. */
async function add(
  of: Day,
  adds: readonly (readonly [string, number | Set<string>])[],
  expression: string,
  values: Item,
  settled?: string,
): Promise<DaySpend | undefined> {
  const changed = adds.filter(([, amount]) => amount !== 0);
  const names = [...new Set(['v', 'agent', 'day', RUN_TABLE.ttl, 'steps', 'raises', ...changed.map(([name]) => name)])];
  const update =
    `SET #v = :v, #agent = :agent, #day = :day, #${RUN_TABLE.ttl} = if_not_exists(#${RUN_TABLE.ttl}, :until)` +
    (changed.length > 0 ? ` ADD ${changed.map(([name]) => `#${name} :add_${name}`).join(', ')}` : '') +
    (settled === undefined ? '' : ' DELETE #steps :settled');
  const mentioned = names.filter((name) => `${update} ${expression}`.includes(`#${name}`));
  const item = await updateIf(keyOf(of), update, {
    expression: `(attribute_not_exists(#v) OR #v = :v) AND ${expression}`,
    names: Object.fromEntries(mentioned.map((name) => [`#${name}`, name])),
    values: {
      ':v': SCHEMA_VERSION,
      ':agent': of.agent,
      ':day': of.day,
      ':until': Math.floor(Date.parse(of.day) / 1000) + KEPT_SECONDS,
      ...Object.fromEntries(changed.map(([name, amount]) => [`:add_${name}`, amount])),
      ...(settled === undefined ? {} : { ':settled': new Set([settled]) }),
      ...values,
    },
  });
  return item && readItem(daySpend, item);
}
