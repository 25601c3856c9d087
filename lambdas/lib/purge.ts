import { runBlobs } from '../../shared/blob.ts';
import type { Meta } from '../../shared/meta.ts';
import { type RunRecord, runRecord } from '../../shared/record.ts';
import {
  BUSINESS_SORT_KEY,
  callbackItemKey,
  effectItemKey,
  META_KEY,
  noticeKey,
  RECORD_PREFIX,
  RESTART_KEY,
  recordKey,
  runKey,
  START_SORT_KEY,
  startKey,
  waitKey,
} from '../../shared/tables.ts';
import { deleteBlob, listBlobs } from './blob-store.ts';
import { eraseClaim } from './claims.ts';
import { ABSENT, between, type Item, putIf, take } from './dynamo.ts';
import { ERASED, leaveGuardOf, leaveGuards, partitionsOf } from './guards.ts';
import { readItem } from './item.ts';
import { noteRemoved } from './tombstone.ts';

/** Kinds of items, by how their sort keys begin (`<kind>#`), in the words of the tombstone. */
const KINDS: Readonly<Record<string, string>> = {
  R: 'records',
  E: 'ledger entries',
  W: 'waits',
  N: 'notices',
  C: 'callbacks',
  I: 'messages',
  K: 'claims of messages',
  S: 'summaries',
  X: 'secrets',
  L: 'places of equal effects',
  F: 'claims of forks',
  P: 'pins',
  [RESTART_KEY]: 'claims of restarts',
};

/** Kinds in whose place a fence stays while a late invocation may still come: an item of the same key that nobody takes for one. */
const FENCED = ['R', 'E', 'W', 'N', 'C', 'S', RESTART_KEY];

/** Items that are read at once, and removed side by side. */
const PAGE = 50;
const TOGETHER = 10;

/** A removal under way: what is counted as it goes. `last` when no late invocation can come any more. */
interface Purge {
  readonly runId: string;
  readonly until: number;
  readonly last: boolean;
  /** What the tombstone has not been told yet. */
  removed: Record<string, number>;
  /** Whether other runs of its lineage ask what it did: they may outlive it. */
  readonly kin: boolean;
  /** The tools of the last reply's calls: answers that give other arguments do not name them. */
  tools: readonly string[];
}

/**
 * Removes everything that is kept of an erased run but its tombstone, until a time, ms since the epoch. Doing it again goes on,
 * and finds what came late. Tells whether all is removed.
 */
export async function purge({ runId, startKey: started, parent, children }: Meta, until: number, last: boolean): Promise<boolean> {
  const going: Purge = { runId, until, last, removed: {}, kin: !!parent || !!children?.size, tools: [] };
  const done = (await purgeItems(going)) && (await purgeBlobs(going)) && (await purgeClaim(going, started));
  await tell(going, done ? Date.now() : undefined);
  return done;
}

async function purgeItems(going: Purge): Promise<boolean> {
  const pk = runKey(going.runId);
  let after = '!';
  for (;;) {
    if (Date.now() > going.until) return false;
    // Keys go on with characters above this one.
    const items = await between(pk, `${after}!`, '~', PAGE);
    try {
      await purgePage(going, items);
    } finally {
      await tell(going);
    }
    if (items.length < PAGE) return true;
    after = String(items.at(-1)?.sk);
  }
}

async function tell(going: Purge, doneAt?: number): Promise<void> {
  const { removed } = going;
  going.removed = {};
  await noteRemoved(going.runId, removed, doneAt);
}

async function purgePage(going: Purge, items: readonly Item[]): Promise<void> {
  const isRecord = ({ sk }: Item) => String(sk).startsWith(RECORD_PREFIX);
  for (const item of items.filter(isRecord)) await purgeRecord(going, item);
  const others = items.filter((item) => item.sk !== META_KEY && !isRecord(item));
  for (let i = 0; i < others.length; i += TOGETHER) await Promise.all(others.slice(i, i + TOGETHER).map((item) => takeAway(going, item)));
}

/** Guards and fences come before the record goes: a removal that is cut off finds it again. */
async function purgeRecord(going: Purge, item: Item): Promise<void> {
  if (item.erased === true) {
    if (Array.isArray(item.tools)) going.tools = item.tools.map(String);
    if (going.last) for (const pk of listIn(item.keys)) await guardLate(going, pk);
    return void (await takeAway(going, item));
  }
  const record = await readItem(runRecord, item).catch(() => undefined);
  if (record?.type === 'reply') going.tools = record.calls.map(({ tool }) => tool);
  const guards = record ? await leaveGuards(going.runId, record, going.tools) : 0;
  const keys = record ? partitionsOf(record, going.tools) : [];
  if (!going.last) for (const sk of placesAfter(record, Number(item.seq))) await putIf(fence(going.runId, sk), ABSENT);
  const told = { ...(record?.type === 'reply' ? { tools: [...going.tools] } : {}), ...(keys.length > 0 ? { keys } : {}) };
  if (await takeAway(going, item, told)) count(going, 'guards left', guards);
}

const listIn = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** An invocation that was at work may have begun an effect under a business key after its run was erased. */
async function guardLate(going: Purge, pk: string): Promise<void> {
  await leaveGuardOf(going.runId, { pk, sk: BUSINESS_SORT_KEY });
}

/** What an invocation that has seen a record could write after it. */
function placesAfter(record: RunRecord | undefined, seq: number): string[] {
  const next = recordKey(seq + 1);
  if (record?.type === 'ask') return [next, waitKey(seq), noticeKey(seq, 0)];
  if (record?.type !== 'reply') return [next];
  return [next, ...record.calls.flatMap(({ index }) => [effectItemKey(seq, index), callbackItemKey(seq, index)])];
}

const fence = (runId: string, sk: string): Item => ({ pk: runKey(runId), sk, v: 0, erased: true });

/** Tells whether it was this that took the item away: two at once count it once. */
async function takeAway(going: Purge, item: Item, more: Item = {}): Promise<boolean> {
  const sk = String(item.sk);
  const [kind = ''] = sk.split('#');
  if (going.kin && kind === 'E' && item.class !== undefined && item.class !== 'read') return guard(going, item);
  const fenced = !going.last && FENCED.includes(kind);
  if (fenced && item.erased === true) return false;
  const taken = fenced ? await putIf({ ...fence(going.runId, sk), ...more }, UNFENCED) : await take({ pk: String(item.pk), sk });
  if (taken && item.erased !== true) count(going, KINDS[kind] ?? 'other items', 1);
  return taken;
}

const UNFENCED = { expression: 'attribute_exists(pk) AND attribute_not_exists(#erased)', names: { '#erased': 'erased' } };

/** What the run did stays known to its lineage, and nothing of what it gave or got. */
async function guard(going: Purge, item: Item): Promise<boolean> {
  if (item.requestId === ERASED) return false;
  const left = await leaveGuardOf(going.runId, { pk: String(item.pk), sk: String(item.sk) });
  count(going, 'guards left', left ? 1 : 0);
  return left;
}

function count(going: Purge, what: string, more: number): void {
  if (more > 0) going.removed[what] = (going.removed[what] ?? 0) + more;
}

async function purgeBlobs(going: Purge): Promise<boolean> {
  for (const key of await listBlobs(runBlobs(going.runId))) {
    if (Date.now() > going.until) return false;
    await deleteBlob(key);
    count(going, 'blobs', 1);
  }
  return true;
}

/** The claim of the client's key that started the run stays, without its request: the key starts no other run. */
async function purgeClaim(going: Purge, hash: string | undefined): Promise<boolean> {
  if (hash !== undefined && (await eraseClaim({ pk: startKey(hash), sk: START_SORT_KEY }))) count(going, 'guards left', 1);
  return true;
}
