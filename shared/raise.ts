import { exact } from './prices.ts';
import type { AskedBudget, BudgetUnit } from './record.ts';

/** An amount with its unit, for people. */
export function inWords(unit: BudgetUnit, amount: number): string {
  if (unit === 'costUsd') return dollars(amount);
  const word = unit === 'seconds' ? 'second' : unit.slice(0, -1);
  return `${amount.toLocaleString('en-US')} ${word}${amount === 1 ? '' : 's'}`;
}

/** The least amount as it is said: rounded up, so that what is said is enough. */
function enough(least: number): number {
  const places = least >= 1 ? 100 : 1e6;
  return least < 1e-6 ? least : Math.ceil(exact(least * places)) / places;
}

/** What is too small to be seen is said to all ten places that are counted. */
function dollars(amount: number): string {
  const small = amount > 0 && amount < 1e-6;
  return `$${small ? amount.toFixed(10).replace(/0+$/, '') : Number(amount.toFixed(amount < 1 ? 6 : 2))}`;
}

/** Says why a budget is not raised by an amount, or returns undefined. */
export function raiseFault({ unit, least, most }: Pick<AskedBudget, 'unit' | 'least' | 'most'>, amount: number): string | undefined {
  if (!Number.isFinite(amount) || (unit !== 'costUsd' && !Number.isInteger(amount)))
    return `the amount must be a ${unit === 'costUsd' ? 'number of dollars' : `whole number of ${unit}`}`;
  if (amount < least) return `the limit must be raised by ${inWords(unit, enough(least))} at least: less is not enough for the next step`;
  return amount > most ? `the limit is raised by ${inWords(unit, most)} at most; it can be raised again` : undefined;
}
