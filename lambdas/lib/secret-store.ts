import * as z from 'zod';
import { TooLargeError } from '../../shared/errors.ts';
import { json } from '../../shared/json.ts';
import { type Call, SCHEMA_VERSION } from '../../shared/record.ts';
import { restored, type Secrets } from '../../shared/secrets.ts';
import { runKey, secretKey } from '../../shared/tables.ts';
import { pack, unpack } from './body.ts';
import { ABSENT, get, type Key, putIf } from './dynamo.ts';
import { readItem } from './item.ts';
import { seal, unseal } from './seal.ts';
import { valueKey } from './sealing-key.ts';

/** The secrets of one call, by their places in its arguments. */
export interface KeptSecrets {
  readonly index: number;
  readonly inputHash: string;
  readonly secrets: Secrets;
}

const item = z.object({ v: z.literal(SCHEMA_VERSION), sealed: z.instanceof(Uint8Array) });
const values = z.record(z.string(), json);

/** The most that one call's secrets may have, packed and sealed: they are one item. */
const MAX_SEALED_BYTES = 300_000;

const addressOf = (runId: string, seq: number, { index, inputHash }: Pick<Call, 'index' | 'inputHash'>): Key => ({
  pk: runKey(runId),
  sk: secretKey(seq, index, inputHash),
});
const aboutOf = ({ pk, sk }: Key): string => `${pk}/${sk}`;

/** Keeps the secrets of a reply's calls, sealed, before the reply is recorded: a call that is there can be run. */
export async function keepSecrets(runId: string, seq: number, kept: readonly KeptSecrets[]): Promise<void> {
  if (kept.length === 0) return;
  const key = await valueKey();
  for (const each of kept) {
    const address = addressOf(runId, seq, each);
    const sealed = seal(key, pack(each.secrets), aboutOf(address));
    if (sealed.length > MAX_SEALED_BYTES)
      throw new TooLargeError(
        `Cannot keep the secrets of call ${each.index}: they have ${sealed.length} bytes sealed, and at most ${MAX_SEALED_BYTES} can be kept`,
      );
    await putIf({ ...address, v: SCHEMA_VERSION, sealed }, ABSENT);
  }
}

/** Reads the secrets of a call; none when it has none, undefined when they are not kept any more. */
export async function readSecrets(runId: string, seq: number, call: Call): Promise<Secrets | undefined> {
  if (!call.secrets?.length) return {};
  const address = addressOf(runId, seq, call);
  const found = await get(address);
  if (!found) return undefined;
  const { sealed } = await readItem(item, found);
  return values.parse(unpack(unseal(await valueKey(), sealed, aboutOf(address))));
}

/** Returns a call as its tool gets it. */
export const withSecrets = (call: Call, secrets: Secrets): Call => ({ ...call, input: restored(call.input, secrets) });
