import * as z from 'zod';

/** Any value that JSON keeps unchanged (but for -0, which it turns into 0). */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Accepts any JSON value and hands it on untouched, however deep it is and whatever its keys are. */
export const json: z.ZodType<Json> = z.custom<Json>((value) => depthOf(value) < Number.POSITIVE_INFINITY, 'it must be a JSON value');

/** How deep the JSON of a request, of a call's arguments and of its output may nest: well below the few thousand levels at which JSON.stringify runs out of stack. */
export const MAX_DEPTH = 500;

/** Tells whether a value is JSON that nests at most `MAX_DEPTH` levels. */
export const isShallow = (value: unknown): value is Json => depthOf(value) <= MAX_DEPTH;

/** Accepts a JSON value that nests at most `MAX_DEPTH` levels. */
export const shallowJson: z.ZodType<Json> = z.custom<Json>(isShallow, `it must be a JSON value of at most ${MAX_DEPTH} levels`);

/** Counts the levels of arrays and objects in a value: 0 for a text or number, infinity for what is not JSON. */
function depthOf(value: unknown): number {
  let level = [value];
  for (let depth = 0; ; depth++) {
    if (!level.every(isJsonNode)) return Number.POSITIVE_INFINITY;
    const parts = level.filter((node) => node !== null && typeof node === 'object');
    if (parts.length === 0) return depth;
    level = parts.flatMap((part) => Object.values(part as object));
  }
}

function isJsonNode(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value !== 'object') return Number.isFinite(value);
  const prototype = Object.getPrototypeOf(value);
  return Array.isArray(value) ? Object.keys(value).length === value.length : prototype === Object.prototype || prototype === null;
}

/** Returns the JSON text of a value with the keys of every object sorted, so that equal values give equal text. */
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key] as Json)}`);
  return `{${fields.join(',')}}`;
}
