import { createHmac } from 'node:crypto';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { settings } from './settings.ts';

const secrets = new SecretsManagerClient({});

/** How long a secret is kept before it is read again, ms: a rotated one is in use after this. */
const KEPT_MS = 5 * 60_000;
const kept = new Map<string, SecretText & { readonly until: number }>();

/** The text of a secret, and the version that has it. */
export interface SecretText {
  readonly text: string;
  readonly version: string;
}

/** Reads the text of a secret, by its name or ARN; an empty text when it has none. Throws what Secrets Manager throws. */
export const readSecret = async (id: string): Promise<string> => (await readVersion(id)).text;

/** Reads a secret as it is now, or as it was in an earlier version. */
async function readVersion(id: string, version?: string): Promise<SecretText> {
  const known = kept.get(nameOf(id, version));
  if (known && known.until > Date.now()) return known;
  const asked = { SecretId: id, ...(version === undefined ? {} : { VersionId: version }) };
  const { SecretString: text = '', VersionId = '' } = await secrets.send(new GetSecretValueCommand(asked));
  kept.set(nameOf(id, version), { text, version: VersionId, until: Date.now() + KEPT_MS });
  return { text, version: VersionId };
}

const nameOf = (id: string, version = ''): string => `${id} ${version}`;

/** Forgets the text of a secret that turned out to be of no use: a corrected one is in use at once. */
export const forgetSecret = (id: string): void => void kept.delete(nameOf(id));

/** Reads the key that signs links. Links that it made before a rotation stay valid: they are known by their hash. */
export const linkKey = async (): Promise<string> => (await linkKeyOf()).text;

/** Reads the key that signs links, as it is now or was in an earlier version, with the name of the version. */
export async function linkKeyOf(version?: string): Promise<SecretText> {
  const { linkKey: id } = settings();
  const key = await readVersion(id, version);
  if (!key.text) throw new Error(`Cannot sign links: secret "${id}" has no text; give it a random one`);
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
