import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { settings } from './settings.ts';

const secrets = new SecretsManagerClient({});

/** How long a key is kept before it is read again, ms: a rotated key is in use after this. */
const KEPT_MS = 5 * 60_000;
let kept: { readonly key: string; readonly until: number } | undefined;

/** Reads the key that signs links. Links that it made before a rotation stay valid: they are known by their hash. */
export async function linkKey(): Promise<string> {
  if (kept && kept.until > Date.now()) return kept.key;
  const { SecretString } = await secrets.send(new GetSecretValueCommand({ SecretId: settings().linkKey }));
  if (!SecretString) throw new Error(`Cannot sign links: secret "${settings().linkKey}" has no text; give it a random one`);
  kept = { key: SecretString, until: Date.now() + KEPT_MS };
  return SecretString;
}
