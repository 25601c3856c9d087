import * as z from 'zod';
import { json } from '../../shared/json.ts';
import { SCHEMA_VERSION } from '../../shared/record.ts';
import { callbackItemKey, effectItemKey, parseEffectKey, runKey } from '../../shared/tables.ts';
import { keepBody } from './body.ts';
import { get, type Key, updateIf } from './dynamo.ts';
import { readItem } from './item.ts';

/** What came for a call whose result comes from outside. Of its addresses only hashes are kept. */
const callback = z.object({
  v: z.literal(SCHEMA_VERSION),
  hashes: z.set(z.string()),
  /** The last sign of life, ms since the epoch. */
  heartbeatAt: z.number().optional(),
  /** The result that came first, and when. */
  postedAt: z.number().optional(),
  ok: z.boolean().optional(),
  output: json.optional(),
  /** The keyed hash of the result as it was given, where something of it is secret: masked, two of them may look the same. */
  given: z.string().optional(),
});
export type Callback = z.infer<typeof callback>;

function keyOf(effectKey: string): Key {
  const at = parseEffectKey(effectKey);
  if (!at) throw new TypeError(`Cannot have a callback for effect "${effectKey}": it is not of a call`);
  return { pk: runKey(at.runId), sk: callbackItemKey(at.seq, at.index) };
}

/** Makes an address known, by its hash. Earlier addresses of the same call stay good. */
export async function openCallback(effectKey: string, hash: string): Promise<void> {
  await updateIf(keyOf(effectKey), 'ADD #hashes :hashes SET #v = :v', {
    expression: 'attribute_not_exists(#v) OR #v = :v',
    names: { '#hashes': 'hashes', '#v': 'v' },
    values: { ':hashes': new Set([hash]), ':v': SCHEMA_VERSION },
  });
}

/** Reads what is known of a call's callback. */
export async function readCallback(effectKey: string): Promise<Callback | undefined> {
  const item = await get(keyOf(effectKey));
  return item && readItem(callback, item);
}

/** Notes a sign of life. */
export async function noteHeartbeat(effectKey: string, at: number): Promise<void> {
  await updateIf(keyOf(effectKey), 'SET #at = :at', {
    expression: '#v = :v',
    names: { '#at': 'heartbeatAt', '#v': 'v' },
    values: { ':at': at, ':v': SCHEMA_VERSION },
  });
}

/** Keeps a result; the first one stands. Returns what stands. */
export async function keepPosted(
  effectKey: string,
  posted: Required<Pick<Callback, 'ok' | 'output' | 'postedAt'>> & Pick<Callback, 'given'>,
): Promise<Callback> {
  const { ok, output, postedAt, given } = posted;
  const key = keyOf(effectKey);
  const [[attribute, body] = []] = Object.entries(await keepBody(key.pk, { output }));
  const more = given === undefined ? '' : ', #given = :given';
  await updateIf(key, `SET #ok = :ok, #postedAt = :postedAt, #body = :body${more}`, {
    expression: '#v = :v AND attribute_not_exists(#postedAt)',
    names: { '#ok': 'ok', '#postedAt': 'postedAt', '#body': attribute as string, '#v': 'v', ...(more ? { '#given': 'given' } : {}) },
    values: { ':ok': ok, ':postedAt': postedAt, ':body': body, ':v': SCHEMA_VERSION, ...(more ? { ':given': given } : {}) },
  });
  return (await readCallback(effectKey)) as Callback;
}

/** The call that waits for a call's result: that call itself, or an equal one of its lineage that took it over. */
export async function waiterFor(at: CallAt): Promise<CallAt> {
  const entry = await get({ pk: runKey(at.runId), sk: effectItemKey(at.seq, at.index) });
  return (typeof entry?.call === 'string' && parseEffectKey(entry.call)) || at;
}

type CallAt = NonNullable<ReturnType<typeof parseEffectKey>>;
