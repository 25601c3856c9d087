import type { Json } from './json.ts';
import type { Result } from './record.ts';

/** The most that the outputs of one reply's calls may hold together, bytes of JSON: they are one record. */
export const MAX_RESULTS_BYTES = 50_000_000;
/** The largest output of a call that is kept, bytes of JSON. */
export const MAX_OUTPUT_BYTES = 25_000_000;
/** Shorter outputs than this are never left out: the sentence that says so is about as long. */
const MIN_BYTES = 400;

/**
 * Leaves out the largest outputs of a reply's calls until the rest fits into one record, and into the `room` that the log
 * has left, bytes. What is left out becomes an error result that says so; what is known of its effect stays.
 */
export function fitResults(results: readonly Result[], room = MAX_RESULTS_BYTES): Result[] {
  const limit = Math.min(room, MAX_RESULTS_BYTES);
  const sized = results.map((result) => ({ result, bytes: bytesOf(result) }));
  let total = sized.reduce((sum, { bytes }) => sum + bytes, 0);
  const leftOut = new Set<Result>();
  for (const { result, bytes } of sized.toSorted((a, b) => b.bytes - a.bytes)) {
    if (total <= limit || bytes < MIN_BYTES) break;
    leftOut.add(result);
    total -= bytes - MIN_BYTES;
  }
  return sized.map(({ result, bytes }) => (leftOut.has(result) ? without(result, bytes, limit) : result));
}

/** What the results of a reply's calls may still take, bytes: of the log, and of their record. */
export interface Room {
  readonly log: number;
  readonly record: number;
}

/** The room that a reply's calls begin with. */
export const roomFor = (log: number): Room => ({ log, record: MAX_RESULTS_BYTES });

/** What is left of it beside some results. */
export function roomBeside({ log, record }: Room, results: readonly Result[]): Room {
  const bytes = results.reduce((sum, result) => sum + bytesOf(result), 0);
  return { log: log - bytes, record: record - bytes };
}

/** Says why a call that writes is not begun: what it returns might have to be left out, and nobody would know what came of it. */
export function noRoom({ log, record }: Room): string | undefined {
  if (log < MAX_OUTPUT_BYTES)
    return `the records of this run have room for ${Math.max(0, log)} bytes more, and an output may have ${MAX_OUTPUT_BYTES}; finish without it, or tell that this run must be started over`;
  if (record < MAX_OUTPUT_BYTES)
    return `the outputs of the calls before it leave room for ${Math.max(0, record)} bytes more in their record, and one may have ${MAX_OUTPUT_BYTES}; call it again by itself`;
  return undefined;
}

/** Bytes of JSON that a result brings into its record. */
const bytesOf = ({ output, edited }: Result): number => sizeOf(output) + (edited ? sizeOf(edited) : 0);
const sizeOf = (value: Json): number => new TextEncoder().encode(JSON.stringify(value)).length;

function without({ edited: _, ...result }: Result, bytes: number, limit: number): Result {
  const happened = result.ok ? 'The call is done, but its output' : 'The call failed, and what it said';
  const full = limit < MAX_RESULTS_BYTES;
  const most = full ? `the records of this run have room for ${limit} more` : `the outputs of one reply's calls at most ${limit} together`;
  const again = full ? 'ask for less of it' : 'call it again by itself';
  const advice = result.effect?.state === 'done' ? 'its effect is done: do not call it again' : again;
  return {
    ...result,
    ok: false,
    output: `${happened} is left out: it has ${bytes} bytes, and ${most}; ${advice}`,
  };
}
