import { z } from 'zod';

/** Any value that JSON keeps unchanged. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Accepts any JSON value. */
export const json: z.ZodType<Json> = z.json();

/** Returns the JSON text of a value with the keys of every object sorted, so that equal values give equal text. */
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key] as Json)}`);
  return `{${fields.join(',')}}`;
}
