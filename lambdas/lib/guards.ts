import { blobPrefix } from '../../shared/blob.ts';
import { type EffectRecord, effectRecord } from '../../shared/effect.ts';
import type { RunRecord } from '../../shared/record.ts';
import { BUSINESS_SORT_KEY } from '../../shared/tables.ts';
import { deleteBlob, listBlobs } from './blob-store.ts';
import { keepBody } from './body.ts';
import { get, type Item, type Key, putIf } from './dynamo.ts';
import { readItem } from './item.ts';
import { businessAddress } from './ledger.ts';

/** What another run is told that meets an effect of an erased one. */
export const ERASED_OUTPUT = '(done before, by a run that was erased; what it gave is erased too)';

/**
 * Leaves of the effects that a record's business keys guard only what guards them: nothing of what was given or returned.
 * `tools` are those of the calls of the last reply, by index. Returns how many there were.
 */
export async function leaveGuards(runId: string, record: RunRecord, tools: readonly string[]): Promise<number> {
  let left = 0;
  for (const { tool, key } of keysIn(record, tools)) left += (await leaveGuardOf(runId, businessAddress(tool, key))) ? 1 : 0;
  return left;
}

/** Where the entries of a record's business keys lie, whether there are any or not: hashes, that say nothing of the keys. */
export const partitionsOf = (record: RunRecord, tools: readonly string[]): string[] =>
  keysIn(record, tools).map(({ tool, key }) => businessAddress(tool, key).pk);

function keysIn(record: RunRecord, tools: readonly string[]): { tool: string; key: string }[] {
  const keyed =
    record.type === 'reply' ? record.calls : record.type === 'answer' ? record.answers.map(({ index, edit }) => ({ index, ...edit })) : [];
  return keyed.flatMap(({ index = -1, businessKey: key }) => (key === undefined ? [] : [{ tool: tools[index] ?? '', key }]));
}

/** Leaves of one entry only what guards its effect. Tells whether it is the run's. */
export async function leaveGuardOf(runId: string, address: Key): Promise<boolean> {
  const item = await get(address);
  const entry = item && (await readItem(effectRecord, item).catch(() => undefined));
  if (!item || (entry ?? item).runId !== runId) return false;
  if (item.requestId === ERASED) return true;
  const guard = entry ? await guardOf(address, entry) : bare(address, item);
  const mine = { expression: '#requestId = :requestId', names: { '#requestId': 'requestId' }, values: { ':requestId': item.requestId } };
  if (!(await putIf(guard, mine))) return false;
  // Those of a run go with the run's others.
  if (address.sk === BUSINESS_SORT_KEY) for (const key of await listBlobs(blobPrefix(address.pk))) await deleteBlob(key);
  return true;
}

/** No invocation has this id: those that still hold the entry can no longer write it. */
export const ERASED = 'erased';

async function guardOf(address: Key, found: EffectRecord): Promise<Item> {
  // What newer code has added to an entry may say what was given: nothing that is not known is left.
  const { output: _, error: __, ...entry } = effectRecord.parse(found);
  const settled = entry.state === 'done' || entry.state === 'failed';
  const body = settled ? await keepBody(address.pk, { output: ERASED_OUTPUT }) : {};
  return { ...address, ...entry, requestId: ERASED, key: keyAt(address, entry.key), ...body };
}

/** An entry that cannot be read keeps what is in the clear. */
const bare = (address: Key, { body: _, blob: __, ...plain }: Item): Item => ({
  ...plain,
  ...address,
  requestId: ERASED,
  key: keyAt(address, String(plain.key)),
});

/** A business key may say whom it is about: its hash, by which it is found, is enough. */
const keyAt = ({ pk, sk }: Key, key: string): string => (sk === BUSINESS_SORT_KEY ? pk : key);
