/**
 * Estimates what a value takes in memory, bytes: its texts, and a little for each part. It is meant for values of records,
 * which hold no circles.
 */
export function weightOf(value: unknown): number {
  let weight = 0;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    weight += typeof next === 'string' ? PART + next.length * (WIDE.test(next) ? 2 : 1) : PART;
    if (next === null || typeof next !== 'object') continue;
    for (const item of Object.values(next)) open.push(item);
  }
  return weight;
}

/** A text with one such character takes two bytes for each. */
const WIDE = /[\u0100-\uffff]/;

/** A field, an element or a number. */
const PART = 24;
