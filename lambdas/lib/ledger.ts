import { type EffectRecord, effectRecord } from '../../shared/effect.ts';
import { ConflictError } from '../../shared/errors.ts';
import { BUSINESS_SORT_KEY, businessKey, EFFECT_PREFIX, effectItemKey, effectPrefix, parseEffectKey, runKey } from '../../shared/tables.ts';
import { keepBody } from './body.ts';
import { ABSENT, between, type Condition, get, type Item, type Key, putIf } from './dynamo.ts';
import { sha256 } from './hash.ts';
import { readItem, readItems } from './item.ts';

/** Where the effect record of a call lies. */
export const callAddress = (runId: string, seq: number, index: number): Key => ({ pk: runKey(runId), sk: effectItemKey(seq, index) });

/** Where the effect record of a key lies: with its call, in whatever run that is, or under its business key. */
export function addressOf(key: string, tool: string): Key {
  const at = parseEffectKey(key);
  return at ? callAddress(at.runId, at.seq, at.index) : businessAddress(tool, key.slice(tool.length + 1));
}

/** Where the effect record of a business key lies: one for all runs. */
export const businessAddress = (tool: string, key: string): Key => ({ pk: businessKey(sha256(`${tool}\n${key}`)), sk: BUSINESS_SORT_KEY });

/** Reads the effect records of a reply's calls, by the index of the call. */
export async function readEffects(runId: string, seq: number): Promise<Map<number, EffectRecord>> {
  const items = await between(runKey(runId), effectPrefix(seq), `${effectPrefix(seq)}~`);
  const entries = await readItems(effectRecord, items);
  return new Map(entries.map((entry, i) => [Number(String(items[i]?.sk).slice(effectPrefix(seq).length)), entry]));
}

/** Reads all effect records in a run's own ledger, with the sort keys of their items. */
export async function readLedgerItems(runId: string): Promise<{ readonly sk: string; readonly effect: EffectRecord }[]> {
  const items = await between(runKey(runId), EFFECT_PREFIX, `${EFFECT_PREFIX}~`);
  const entries = await readItems(effectRecord, items);
  return entries.map((effect, i) => ({ sk: String(items[i]?.sk), effect }));
}

/** Reads all effect records in a run's own ledger. */
export async function readLedger(runId: string): Promise<EffectRecord[]> {
  const items = await between(runKey(runId), EFFECT_PREFIX, `${EFFECT_PREFIX}~`);
  return readItems(effectRecord, items);
}

/** Reads one effect record. */
export async function readEffect(address: Key): Promise<EffectRecord | undefined> {
  const item = await get(address);
  return item && readItem(effectRecord, item);
}

/** Keeps the result of a call that reads, so that a later attempt of its step need not run it again. */
export async function keepResult(address: Key, entry: EffectRecord): Promise<void> {
  await putEntry(address, entry, {
    expression: 'attribute_not_exists(pk) OR #epoch <= :epoch',
    names: EPOCH,
    values: { ':epoch': entry.epoch },
  });
}

const EPOCH = { '#epoch': 'epoch' };

/**
 * Marks an effect as started, before it begins. `previous` is the entry that is taken over; the write fails if it has
 * changed. Returns undefined when the mark is ours, else the entry that is in the way.
 */
export async function claim(address: Key, entry: EffectRecord, previous: EffectRecord | undefined): Promise<EffectRecord | undefined> {
  const condition = previous ? unchanged(previous) : ABSENT;
  if (await putEntry(address, entry, condition)) return undefined;
  const found = await readEffect(address);
  if (!found) throw new ConflictError(`Cannot begin effect "${entry.key}": its ledger entry was changed, and is gone`);
  return found.epoch === entry.epoch && found.requestId === entry.requestId ? undefined : found;
}

const unchanged = (previous: EffectRecord): Condition => ({
  expression: '#epoch = :epoch AND #requestId = :requestId AND #state = :state',
  names: { ...EPOCH, '#requestId': 'requestId', '#state': 'state' },
  values: { ':epoch': previous.epoch, ':requestId': previous.requestId, ':state': previous.state },
});

/** Records the outcome of an effect, unless a later invocation has taken it over. Returns the entry that stands. */
export async function settle(address: Key, entry: EffectRecord): Promise<EffectRecord> {
  // What a person has said is done meanwhile stands.
  const mine: Condition = {
    expression: '#epoch = :epoch AND #requestId = :requestId AND #state IN (:started, :pending, :unknown)',
    names: { ...EPOCH, '#requestId': 'requestId', '#state': 'state' },
    values: { ':epoch': entry.epoch, ':requestId': entry.requestId, ':started': 'started', ':pending': 'pending', ':unknown': 'unknown' },
  };
  if (await putEntry(address, entry, mine)) return entry;
  return (await readEffect(address)) ?? entry;
}

/** Writes an entry if the condition holds; tells whether it did. */
export async function putEntry(address: Key, { output, error, ...entry }: EffectRecord, condition: Condition): Promise<boolean> {
  const body = output === undefined && error === undefined ? {} : await keepBody(address.pk, { output, error });
  return putIf({ ...address, ...entry, ...body } as Item, condition);
}
