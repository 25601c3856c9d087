import { type Json, MAX_DEPTH } from './json.ts';

/** A place in a value that JSON has no word for, and what stands there. */
export interface Lost {
  /** Such as `rows.3.price`; empty for the whole value. */
  readonly path: string;
  /** Such as `NaN` or `a Map of 3`. */
  readonly what: string;
}

/** A value as it is kept. */
export interface Kept {
  /** The value in JSON, with null in the places that are lost; it shares nothing with what was given. */
  readonly value: Json;
  readonly lost: readonly Lost[];
  /** The places where another form of the same is kept: the text of a date, what `toJSON` says. */
  readonly turned: readonly Lost[];
}

/** Takes the place of what a value holds, before anything else is made of it. */
export type Replace = (value: object) => Json | undefined;

/** A value that refers to its parts many times over would never end, nodes. */
const MAX_NODES = 10_000_000;

/**
 * Turns what code returned into JSON, and says what that leaves out or turns into something else. As JSON does it, properties
 * without a value are left out, dates become texts, and objects with `toJSON` what it says; lone surrogates and -0 stay as they
 * are. Throws a RangeError for a value of more than ten million parts.
 */
export function keptValue(given: unknown, replace: Replace = () => undefined): Kept {
  const walk: Walk = { lost: [], turned: [], above: new Set(), nodes: 0, replace };
  return { value: keep(given, [], walk), lost: walk.lost, turned: walk.turned };
}

interface Walk {
  readonly lost: Lost[];
  readonly turned: Lost[];
  /** The objects around the one that is looked at. */
  readonly above: Set<object>;
  nodes: number;
  readonly replace: Replace;
}
type Path = readonly string[];

function keep(value: unknown, path: Path, walk: Walk): Json {
  if (++walk.nodes > MAX_NODES) throw new RangeError(`it has more than ${MAX_NODES} parts`);
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : lose(String(value), path, walk);
  if (typeof value === 'bigint') return lose(`the bigint ${String(value).slice(0, 100)}`, path, walk);
  if (typeof value !== 'object') return lose(value === undefined ? 'undefined' : `a ${typeof value}`, path, walk);
  try {
    return walk.replace(value) ?? keepObject(value, path, walk);
  } catch (error) {
    if (error instanceof RangeError && walk.nodes > MAX_NODES) throw error;
    return lose(`it throws: ${messageOf(error)}`, path, walk);
  }
}

function keepObject(value: object, path: Path, walk: Walk): Json {
  if (walk.above.has(value)) return lose('a circle back to what it is in', path, walk);
  if (path.length >= MAX_DEPTH) return lose(`more than ${MAX_DEPTH} levels`, path, walk);
  const strange = strangeness(value);
  if (strange !== undefined) return lose(strange, path, walk);
  walk.above.add(value);
  try {
    const other = otherForm(value, path.at(-1) ?? '');
    if (!other) return Array.isArray(value) ? keepList(value, path, walk) : keepEntries(value, path, walk);
    walk.turned.push({ path: path.join('.'), what: nameOf(value) });
    return keep(other.value, path, walk);
  } finally {
    walk.above.delete(value);
  }
}

/** Gaps in a list are no values either. */
const keepList = (list: readonly unknown[], path: Path, walk: Walk): Json[] =>
  Array.from(list, (item, i) => keep(item, [...path, String(i)], walk));

function keepEntries(value: object, path: Path, walk: Walk): Json {
  const entries: [string, Json][] = [];
  for (const key of Object.keys(value)) {
    const item = read(value, key);
    if ('fault' in item) entries.push([key, lose(`it throws: ${item.fault}`, [...path, key], walk)]);
    else if (item.value !== undefined) entries.push([key, keep(item.value, [...path, key], walk)]);
  }
  // Unlike an assignment, this makes a property of every key, `__proto__` too.
  return Object.fromEntries(entries);
}

function read(value: object, key: string): { readonly value: unknown } | { readonly fault: string } {
  try {
    return { value: (value as Record<string, unknown>)[key] };
  } catch (error) {
    return { fault: messageOf(error) };
  }
}

/** What JSON would make an empty object of, or a list of numbers, without a word. */
function strangeness(value: object): string | undefined {
  if (value instanceof Map || value instanceof Set) return `a ${nameOf(value)} of ${value.size}`;
  if (ArrayBuffer.isView(value)) return `a ${nameOf(value)} of ${value.byteLength} bytes; return file(...) to keep bytes`;
  if (value instanceof ArrayBuffer) return `an ArrayBuffer of ${value.byteLength} bytes; return file(...) to keep bytes`;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'a Date that is none' : undefined;
  if (value instanceof Error) return `the error "${messageOf(value)}"`;
  const empty = [WeakMap, WeakSet, WeakRef, Promise, RegExp].some((kind) => value instanceof kind);
  return empty ? `a ${nameOf(value)}` : undefined;
}

/** What a date, a boxed value, or an object that says it itself, is in JSON. */
function otherForm(value: object, key: string): { readonly value: unknown } | undefined {
  if (value instanceof Number || value instanceof String || value instanceof Boolean || value instanceof BigInt)
    return { value: value.valueOf() };
  const { toJSON } = value as { toJSON?: unknown };
  return typeof toJSON === 'function' ? { value: toJSON.call(value, key) } : undefined;
}

function lose(what: string, path: Path, { lost }: Walk): null {
  lost.push({ path: path.join('.'), what });
  return null;
}

const nameOf = (value: object): string => String(value.constructor?.name ?? 'object').slice(0, 60);

function messageOf(error: unknown): string {
  try {
    return String((error as Error)?.message ?? error).slice(0, 300);
  } catch {
    return 'something that cannot be shown';
  }
}

/** Places that are named in a sentence. */
const NAMED = 10;

/** Names places, e.g. `rows.3.price: NaN; note: a function`. */
export function lostWords(lost: readonly Lost[]): string {
  const named = lost.slice(0, NAMED).map(({ path, what }) => (path === '' ? what : `${path.slice(0, 200)}: ${what}`));
  return [...named, ...(lost.length > NAMED ? [`and ${lost.length - NAMED} more`] : [])].join('; ').toWellFormed();
}
