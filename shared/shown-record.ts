import * as z from 'zod';
import type { Json } from './json.ts';
import { runRecord } from './record.ts';

/** A place in a record that is shown in part, by its path, e.g. `results.0.output`, and its true size. */
export const clipped = z.object({ path: z.string(), /** Of the text, or of the value's JSON. */ bytes: z.number() });
export type Clipped = z.infer<typeof clipped>;

/** A record as a page of the API shows it: large texts and values are replaced by their beginning, and `clipped` says which. */
export const shownRecord = z.intersection(runRecord, z.object({ clipped: z.array(clipped).optional() }));
export type ShownRecord = z.infer<typeof shownRecord>;

/** A record with less JSON than this is shown whole, bytes. */
export const MAX_SHOWN_BYTES = 1_000_000;

/** What is left of a large text or value, characters: the most of these with which the record fits. */
const BEGINNINGS = [60_000, 15_000, 4_000, 1_000, 200];

/** Keys under which any JSON value may stand; all else in a record is texts, numbers, and lists of these. */
const VALUES = new Set(['input', 'output', 'content']);

/** Shows a record within `maxBytes`, as far as its texts and values alone make it larger. */
export function showRecord<R extends object>(record: R, maxBytes = MAX_SHOWN_BYTES): R & { clipped?: Clipped[] } {
  const value = record as unknown as Json;
  if (bytesOf(value) <= maxBytes) return record;
  for (const characters of BEGINNINGS) {
    const clips: Clipped[] = [];
    const shown = clip(value, { characters, clips, path: [], free: false });
    if (bytesOf(shown) <= maxBytes || characters === BEGINNINGS.at(-1)) return { ...(shown as unknown as R), clipped: clips };
  }
  return record;
}

interface Place {
  readonly characters: number;
  readonly clips: Clipped[];
  readonly path: readonly string[];
  /** Whether any JSON value may stand here. */
  readonly free: boolean;
}

function clip(value: Json, place: Place): Json {
  const { characters, clips, path, free } = place;
  if (typeof value === 'string') return value.length > characters ? note(value, value, place) : value;
  if (value === null || typeof value !== 'object') return value;
  if (free) {
    const text = JSON.stringify(value);
    return text.length > characters ? note(value, text, place) : value;
  }
  const inside = (key: string, item: Json, isFree: boolean) => clip(item, { characters, clips, path: [...path, key], free: isFree });
  // The parts of `content` are free, the list of them is not.
  if (Array.isArray(value)) return value.map((item, i) => inside(String(i), item, path.at(-1) === 'content'));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, inside(key, item, VALUES.has(key) && !(key === 'content' && Array.isArray(item)))]),
  );
}

/** Half a surrogate pair at the cut would be no text. */
function note(value: Json, text: string, { characters, clips, path }: Place): string {
  clips.push({ path: path.join('.'), bytes: bytesOf(value) });
  return text.slice(0, characters).replace(/[\ud800-\udbff]$/, '');
}

const bytesOf = (value: Json): number => new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value)).length;
