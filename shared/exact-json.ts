import type { Json } from './json.ts';

/** A number in a JSON text that no JavaScript number is: it would lose digits. */
export interface LongNumber {
  /** Such as `order.id`; empty for the whole text. */
  readonly path: string;
  readonly digits: string;
}

/** Only such a text can hold one: sixteen digits in a row, with a point or none, or an exponent. */
const SUSPECT = /\d[\d.]{15}|\d[eE]/;

/** Finds the first number in a JSON text that would lose digits, or be none, when it is read. Throws as JSON.parse does. */
export function longNumberIn(text: string): LongNumber | undefined {
  if (!SUSPECT.test(text)) return undefined;
  let found: { key: string; digits: string } | undefined;
  const marked: unknown = JSON.parse(text, ((key: string, value: unknown, { source }: { source?: string }) => {
    if (found || typeof value !== 'number' || source === undefined || sameNumber(source, value)) return value;
    found = { key, digits: source };
    return FOUND;
  }) as (key: string, value: unknown) => unknown);
  return found && { path: (pathTo(marked) ?? []).join('.'), digits: found.digits };
}

const FOUND = Symbol('found');

function pathTo(value: unknown): string[] | undefined {
  if (value === FOUND) return [];
  if (value === null || typeof value !== 'object') return undefined;
  for (const [key, item] of Object.entries(value)) {
    const path = pathTo(item);
    if (path) return [key, ...path];
  }
  return undefined;
}

/** Whether a number says what its text said: the same digits in the same places, whatever zeros and exponents it is written with. */
const sameNumber = (source: string, value: number): boolean => Number.isFinite(value) && plainly(source) === plainly(String(value));

/** A number as its digits and the power of ten of the last of them, e.g. `12e-1` for 1.20. */
function plainly(text: string): string {
  const [, whole = '', fraction = '', exponent = '0'] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

/** The JSON text of a value: as JSON.stringify gives it, but that -0 stays -0, which JSON has a word for. */
export function exactText(value: Json | object): string {
  return hasNegativeZero(value) ? JSON.stringify(value, (_, item) => (Object.is(item, -0) ? rawJSON('-0') : item)) : JSON.stringify(value);
}

/** A part of JavaScript that TypeScript does not know yet. */
const rawJSON = (text: string): unknown => (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text);

function hasNegativeZero(value: unknown): boolean {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (Object.is(next, -0)) return true;
    if (next !== null && typeof next === 'object') for (const item of Object.values(next)) open.push(item);
  }
  return false;
}
