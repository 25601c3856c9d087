import { callbackId } from '../../shared/tables.ts';
import { openCallback } from './callback-store.ts';
import { sha256 } from './hash.ts';
import { signedBy } from './links.ts';
import { settings } from './settings.ts';

/** Makes the address to which the result of a call can be posted. */
export async function callbackUrl(effectKey: string): Promise<string> {
  const secret = await signedBy(`callback\n${effectKey}`);
  await openCallback(effectKey, sha256(secret));
  return `${settings().publicUrl}/c/${callbackId(effectKey)}?t=${secret}`;
}
