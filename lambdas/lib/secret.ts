import { createHmac } from 'node:crypto';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { settings } from './settings.ts';

const secrets = new SecretsManagerClient({});

/** How long a secret is kept before it is read again, ms: a rotated one is in use after this. */
const KEPT_MS = 5 * 60_000;
const kept = new Map<string, { readonly text: string; readonly until: number }>();

/** Reads the text of a secret, by its name or ARN; an empty text when it has none. Throws what Secrets Manager throws. */
export async function readSecret(id: string): Promise<string> {
  const known = kept.get(id);
  if (known && known.until > Date.now()) return known.text;
  const { SecretString: text = '' } = await secrets.send(new GetSecretValueCommand({ SecretId: id }));
  kept.set(id, { text, until: Date.now() + KEPT_MS });
  return text;
}

/** Forgets the text of a secret that turned out to be of no use: a corrected one is in use at once. */
export const forgetSecret = (id: string): void => void kept.delete(id);

/** Reads the key that signs links. Links that it made before a rotation stay valid: they are known by their hash. */
export async function linkKey(): Promise<string> {
  const { linkKey: id } = settings();
  const key = await readSecret(id);
  if (!key) throw new Error(`Cannot sign links: secret "${id}" has no text; give it a random one`);
  return key;
}

const WEBHOOK_KEY = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

/** Reads the key that signs what is sent to webhooks; where none is set it is the HMAC of the link key over this label. */
export async function webhookKey(): Promise<Buffer> {
  const { webhookKey: id } = settings();
  if (id === undefined)
    return createHmac('sha256', await linkKey())
      .update('holdfast webhook key')
      .digest();
  const key = Buffer.from(WEBHOOK_KEY.exec((await readSecret(id)).trim())?.[1] ?? '', 'base64');
  if (key.length >= 24 && key.length <= 64) return key;
  throw new Error(`Cannot sign webhooks: secret "${id}" must be "whsec_" and the base64 of 24 to 64 random bytes`);
}
