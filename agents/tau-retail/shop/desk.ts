import { READERS } from './readers.ts';
import { refuse } from './refusal.ts';
import { changedRows, openShop, type Stock } from './shop.ts';
import { WRITERS } from './writers.ts';

/** How far the shop goes to keep a caller from doing a thing twice: it knows keys, it can be asked about keys, or neither. */
export const MODES = ['keys', 'find', 'blind'] as const;
export type Mode = (typeof MODES)[number];

/** A change that was made: the key it was made under, and what was answered. */
export interface Applied {
  readonly key: string;
  readonly tool: string;
  readonly output: unknown;
}

/** What happened at a desk. */
export interface DeskReport {
  /** Every change, in order. */
  readonly applied: readonly Applied[];
  /** Keys that came again after their change was made, and were not known as such: each is an effect attempted twice. */
  readonly repeated: readonly string[];
  /** Keys that came again and were known. */
  readonly deduped: readonly string[];
  /** Keys that were asked about after their change was made. */
  readonly found: readonly string[];
  /** The rows that differ from the start. */
  readonly changed: Record<string, Record<string, unknown>>;
}

/** One caller's shop, and the journal of what it did. */
export interface Desk {
  /** Does what a tool does. Throws a Refusal, having changed nothing, when the shop will not. */
  call(mode: Mode, tool: string, input: Record<string, unknown>, key: string): unknown;
  /** Tells what was done under a key, to a caller who asks. */
  find(key: string): Applied | undefined;
  report(): DeskReport;
}

/** Opens a desk over the stock. */
export function openDesk(stock: Stock): Desk {
  const shop = openShop(stock);
  const applied: Applied[] = [];
  const repeated: string[] = [];
  const deduped: string[] = [];
  const found: string[] = [];
  const lookUp = (key: string) => applied.find((one) => one.key === key);

  function write(mode: Mode, tool: string, input: Record<string, unknown>, key: string): unknown {
    const known = lookUp(key);
    if (known && mode === 'keys') {
      deduped.push(key);
      return known.output;
    }
    if (known) repeated.push(key);
    const output = WRITERS[tool]?.(shop, input);
    applied.push({ key, tool, output });
    return output;
  }

  return {
    find(key) {
      const known = lookUp(key);
      if (known) found.push(key);
      return known;
    },
    call(mode, tool, input, key) {
      if (Object.hasOwn(WRITERS, tool)) return write(mode, tool, input, key);
      return Object.hasOwn(READERS, tool) ? READERS[tool]?.(shop, input) : refuse(`there is no tool ${tool}`);
    },
    report: () => ({ applied, repeated, deduped, found, changed: changedRows(shop) }),
  };
}
