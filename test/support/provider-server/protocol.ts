import type { IncomingHttpHeaders } from 'node:http';

// biome-ignore lint/suspicious/noExplicitAny: the checks are there for bodies of any shape.
export type Fields = any;

/** One provider's API, as far as the server speaks it. */
export interface Protocol {
  /** The paths of its requests. */
  readonly path: RegExp;
  /** Why the key is not accepted. */
  readonly keyFault: (headers: IncomingHttpHeaders) => string | undefined;
  /** Why the body is refused, in the provider's words; `served` are the bodies of earlier answers. */
  readonly fault: (body: Fields, served: readonly Fields[]) => string | undefined;
  readonly errorBody: (status: number, message: string) => unknown;
}

/** The names that all providers take. */
export const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

export const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Tells whether a text is the JSON of an object. */
export function isJsonObject(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}

/** The first fault that any of the checks finds. */
export function firstOf<T>(
  items: readonly T[],
  check: (item: T, index: number, all: readonly T[]) => string | undefined,
): string | undefined {
  for (const [i, item] of items.entries()) {
    const fault = check(item, i, items);
    if (fault) return fault;
  }
  return undefined;
}

/** The ids that stand in a list more than once, or in it and not in the other. */
export const repeated = (ids: readonly string[]): string[] => ids.filter((id, i) => ids.indexOf(id) !== i);
export const without = (ids: readonly string[], others: readonly string[]): string[] => ids.filter((id) => !others.includes(id));
