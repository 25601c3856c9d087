import type { AskedBudget, BudgetUnit } from './record.ts';

/** An amount with its unit, for people. */
export function inWords(unit: BudgetUnit, amount: number): string {
  if (unit === 'costUsd') return `$${Number(amount.toFixed(amount < 1 ? 6 : 2))}`;
  const word = unit === 'seconds' ? 'second' : unit.slice(0, -1);
  return `${amount.toLocaleString('en-US')} ${word}${amount === 1 ? '' : 's'}`;
}

/** Says why a budget is not raised by an amount, or returns undefined. */
export function raiseFault({ unit, least, most }: Pick<AskedBudget, 'unit' | 'least' | 'most'>, amount: number): string | undefined {
  if (!Number.isFinite(amount) || (unit !== 'costUsd' && !Number.isInteger(amount)))
    return `the amount must be a ${unit === 'costUsd' ? 'number of dollars' : `whole number of ${unit}`}`;
  if (amount < least) return `the limit must be raised by ${inWords(unit, least)} at least: less is not enough for the next step`;
  return amount > most ? `the limit is raised by ${inWords(unit, most)} at most; it can be raised again` : undefined;
}
