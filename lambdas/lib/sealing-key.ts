import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import * as z from 'zod';
import { canonical, type Json } from '../../shared/json.ts';
import { SCHEMA_VERSION } from '../../shared/record.ts';
import { SEALING_KEY } from '../../shared/tables.ts';
import { ABSENT, get, putIf, updateIf } from './dynamo.ts';
import { readItem } from './item.ts';
import { seal, unseal } from './seal.ts';
import { linkKeyOf, type SecretText } from './secret.ts';

/**
 * One random key for all runs, kept in the table and sealed with a key made from that of links. So nothing that it sealed
 * is lost when the key of links is rotated: the first that meets the new one seals this key with it. Equal calls of
 * different runs, and from before a rotation, have equal hashes.
 */
const sealingKey = z.object({ v: z.literal(SCHEMA_VERSION), version: z.string(), sealed: z.instanceof(Uint8Array) });

let kept: Promise<Buffer> | undefined;

/** Reads the key that seals secrets; the first to need one makes it. */
export function readSealingKey(): Promise<Buffer> {
  kept ??= open().catch((error: unknown) => {
    kept = undefined;
    throw error;
  });
  return kept;
}

const keyFor = async (purpose: string): Promise<Uint8Array> => derived(await readSealingKey(), purpose);
const derived = (key: Uint8Array | string, purpose: string): Uint8Array => new Uint8Array(hkdfSync('sha256', key, '', purpose, 32));

/** The key for values. */
export const valueKey = (): Promise<Uint8Array> => keyFor('holdfast secrets');

/** Makes the hash of calls that hold secrets: without the key a short secret would soon be found from it. */
export async function keyedHash(): Promise<(tool: string, input: Json) => string> {
  const key = await keyFor('holdfast call hashes');
  return (tool, input) =>
    createHmac('sha256', key)
      .update(`${tool}\n${canonical(input)}`)
      .digest('hex');
}

const ABOUT = `${SEALING_KEY.pk}/${SEALING_KEY.sk}`;
const wrap = (key: Uint8Array, { text }: SecretText): Uint8Array => seal(derived(text, 'holdfast sealing key'), key, ABOUT);

async function open(): Promise<Buffer> {
  const current = await linkKeyOf();
  const item = await get(SEALING_KEY);
  if (!item) {
    await putIf({ ...SEALING_KEY, v: SCHEMA_VERSION, version: current.version, sealed: wrap(randomBytes(32), current) }, ABSENT);
    return open();
  }
  const { version, sealed } = await readItem(sealingKey, item);
  const key = unwrapped(sealed, version === current.version ? current : await earlier(version));
  if (version !== current.version) await wrapAnew(key, version, current);
  return key;
}

/** Sealed with the key of links as it is now: the earlier version of that may go. Whoever is first has done it. */
const wrapAnew = (key: Uint8Array, before: string, current: SecretText): Promise<unknown> =>
  updateIf(SEALING_KEY, 'SET #version = :version, #sealed = :sealed', {
    expression: '#version = :before',
    names: { '#version': 'version', '#sealed': 'sealed' },
    values: { ':version': current.version, ':sealed': wrap(key, current), ':before': before },
  });

async function earlier(version: string): Promise<SecretText> {
  return linkKeyOf(version).catch((cause: unknown) => {
    throw new Error(
      `Cannot read secrets of runs: the key of links was rotated, and its version "${version}" is gone; bring it back, or have the calls made again`,
      { cause },
    );
  });
}

function unwrapped(sealed: Uint8Array, { text, version }: SecretText): Buffer {
  try {
    return unseal(derived(text, 'holdfast sealing key'), sealed, ABOUT);
  } catch (cause) {
    throw new Error(`Cannot read secrets of runs: their key was not sealed with version "${version}" of the key of links`, { cause });
  }
}
