import { branchOff } from '../../shared/branch.ts';
import { TooLargeError, UnreadableItemError } from '../../shared/errors.ts';
import { exactText } from '../../shared/exact-json.ts';
import type { Log } from '../../shared/log.ts';
import type { Meta } from '../../shared/meta.ts';
import { type Draft, type RunRecord, runRecord, SCHEMA_VERSION } from '../../shared/record.ts';
import { type ShownRecord, showRecord } from '../../shared/shown-record.ts';
import { RECORD_PREFIX, recordKey, runKey } from '../../shared/tables.ts';
import { keepText } from './body.ts';
import { ABSENT, between, get, type Item, putIf } from './dynamo.ts';
import { readItem, readItems } from './item.ts';
import { readMeta } from './meta-store.ts';
import { measureRecord } from './metrics.ts';
import { PAGE_BYTES } from './page-bytes.ts';
import { weightOf } from './weight.ts';

/** Records never change, so a warm worker keeps the logs it has read: the newest runs, up to this much memory, bytes. */
const CACHED_BYTES = 100_000_000;
const cache = new Map<string, RunRecord[]>();
/** What each log in the cache takes. */
const weights = new Map<string, number>();

/**
 * Reads a run's log to its end; only what this worker has not seen yet is fetched. A fork's log begins with the records that it
 * shares with its parent. Throws when a record is missing.
 */
export async function readLog(runId: string): Promise<Log> {
  const cachedLog = cache.get(runId);
  const items = await between(runKey(runId), recordKey((cachedLog?.length ?? 0) + 1), `${RECORD_PREFIX}~`);
  const more = await readItems(runRecord, items);
  const known = cachedLog ?? (more[0]?.seq === 1 ? [] : await sharedRecords(runId));
  const gap = more.findIndex(({ seq }, i) => seq !== known.length + 1 + i);
  if (gap >= 0) {
    const [missing, there] = [known.length + 1 + gap, more[gap]?.seq];
    throw new UnreadableItemError(`Cannot read the log of run "${runId}": record ${missing} is missing, and record ${there} is there`);
  }
  return keep(runId, known, more);
}

/** The records that a fork shares with its parent: read there, and not copied. Only a log whose first record is not its own is asked about. */
async function sharedRecords(runId: string): Promise<RunRecord[]> {
  const { parent, createdAt = 0 } = (await readMeta(runId)) ?? {};
  if (parent?.at === undefined) return [];
  return branchOff(await readLog(parent.runId), { at: parent.at, since: createdAt });
}

type Branch = Pick<Meta, 'runId' | 'parent'>;

/**
 * Reads up to `limit` records above a seq, in order, as they are shown, fewer when they are large; nothing is kept. A fork's are
 * shared ones first.
 */
export async function recordsAfter({ runId, parent }: Branch, after: number, limit: number): Promise<ShownRecord[]> {
  const shared = (parent?.at ?? 0) - after;
  if (!parent || shared <= 0) return ownAfter(runId, after, limit);
  const page = await recordsAfter((await readMeta(parent.runId)) ?? { runId: parent.runId }, after, Math.min(limit, shared));
  const whole = page.length === shared && page.length < limit;
  return whole ? withinPage([...page, ...(await ownAfter(runId, after + shared, limit - page.length))]) : page;
}

async function ownAfter(runId: string, after: number, limit: number): Promise<ShownRecord[]> {
  const items = await between(runKey(runId), recordKey(after + 1), `${RECORD_PREFIX}~`, limit);
  const page: ShownRecord[] = [];
  let bytes = 0;
  for (const item of items.slice(0, limit)) {
    const record = showRecord(await readItem(runRecord, item));
    bytes += bytesOf(record);
    if (bytes > PAGE_BYTES && page.length > 0) break;
    page.push(record);
  }
  return page;
}

const bytesOf = (record: RunRecord): number => Buffer.byteLength(JSON.stringify(record));

function withinPage(records: ShownRecord[]): ShownRecord[] {
  let bytes = 0;
  const over = records.findIndex((record) => {
    bytes += bytesOf(record);
    return bytes > PAGE_BYTES;
  });
  return over < 0 ? records : records.slice(0, Math.max(1, over));
}

/** Reads up to `limit` records from a seq on, in order; nothing is kept. */
export async function recordsFrom(runId: string, seq: number, limit: number): Promise<RunRecord[]> {
  const items = await between(runKey(runId), recordKey(seq), `${RECORD_PREFIX}~`, limit);
  return (await readItems(runRecord, items)).filter((record, i) => record.seq === seq + i);
}

/** Reads one record; of a fork also one that it shares. */
export async function readRecord(runId: string, seq: number): Promise<RunRecord | undefined> {
  const item = await get({ pk: runKey(runId), sk: recordKey(seq) });
  if (item) return readItem(runRecord, item);
  const { parent } = (await readMeta(runId)) ?? {};
  return parent?.at !== undefined && seq <= parent.at ? readRecord(parent.runId, seq) : undefined;
}

/** Reads one record of a run's log, one that a fork shares with its parent too. */
export async function recordOf({ runId, parent }: Branch, seq: number): Promise<RunRecord | undefined> {
  if (parent?.at === undefined || seq > parent.at) return readRecord(runId, seq);
  return recordOf((await readMeta(parent.runId)) ?? { runId: parent.runId }, seq);
}

/** Appends a record to the end of a log and returns the log with it; if another is there already, that one is adopted. */
export async function append(runId: string, log: Log, draft: Draft): Promise<Log> {
  const record = await appendAt(runId, log.length + 1, draft);
  return keep(runId, log as RunRecord[], [record]);
}

/** Puts a record at a seq, or returns the one that is there already. Throws before it writes what could not be read back. */
export async function appendAt(runId: string, seq: number, draft: Draft): Promise<RunRecord> {
  const record = { v: SCHEMA_VERSION, seq, at: Date.now(), ...draft } as RunRecord;
  assertReadable(runId, record);
  if (!(await putIf(await recordItem(runId, record), ABSENT))) return (await readRecord(runId, seq)) as RunRecord;
  measureRecord(runId, record);
  return record;
}

function assertReadable(runId: string, record: RunRecord): void {
  const issue = runRecord.safeParse(record).error?.issues[0];
  if (!issue) return;
  const where = `"${record.type}" to run "${runId}" at seq ${record.seq}: ${issue.path.join('.')}`;
  throw new TypeError(`Cannot append record ${where}: ${issue.message}`);
}

/** The item of a record: its name and place in the clear, its content packed, or in the blob store by now. */
export async function recordItem(runId: string, record: RunRecord): Promise<Item> {
  const { v, seq, at, type, ...content } = record;
  const text = exactText(content);
  if (text.length > MAX_RECORD_CHARACTERS)
    throw new TooLargeError(`Cannot append record "${type}" to run "${runId}" at seq ${seq}: it has ${text.length} characters of JSON`);
  const pk = runKey(runId);
  return { pk, sk: recordKey(seq), v, seq, at, type, ...(await keepText(pk, text)) };
}

/** The most that the records of one run may hold together before outputs are left out of them, bytes. */
const MAX_LOG_BYTES = 200_000_000;
/** However well it packs, a record must fit into the memory of every function that reads it, beside its text and its bytes. */
const MAX_RECORD_CHARACTERS = 64_000_000;

function keep(runId: string, known: RunRecord[], more: RunRecord[]): Log {
  let weight = cache.get(runId) === known ? (weights.get(runId) ?? 0) : weightOf(known);
  for (const record of more)
    if (record.seq === known.length + 1) {
      known.push(record);
      weight += weightOf(record);
    }
  forget(runId);
  cache.set(runId, known);
  weights.set(runId, weight);
  forgetOldest();
  return known;
}

function forget(runId: string): void {
  cache.delete(runId);
  weights.delete(runId);
}

/** The newest run is forgotten too when it is too large by itself: its next step reads it again. */
function forgetOldest(): void {
  let all = sumOf(weights);
  for (const [runId, weight] of weights) {
    if (all <= CACHED_BYTES) return;
    forget(runId);
    all -= weight;
  }
}

/** How many more bytes the log of a run may hold: every step has all of it in memory. */
export const roomIn = (runId: string, log: Log): number =>
  Math.max(0, MAX_LOG_BYTES - (cache.get(runId) === log ? (weights.get(runId) ?? 0) : weightOf(log)));

/** What is kept for the next steps of this worker: the runs, and bytes of memory. */
export const cachedLogs = (): { runs: string[]; bytes: number } => ({
  runs: [...cache.keys()],
  bytes: sumOf(weights),
});

const sumOf = (each: Map<string, number>): number => [...each.values()].reduce((sum, weight) => sum + weight, 0);
