import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Operation, ServiceError } from './aws-service.ts';
import { writeWhole } from './cache.ts';
import { LINK_KEY } from './names.ts';

/** Reads the key that signs links, 64 characters; the first host of a data folder makes it. */
export async function openLinkKey(dataDir: string): Promise<string> {
  const file = join(dataDir, 'link.key');
  const kept = await readFile(file, 'utf8').catch(noFile);
  if (kept) return kept;
  const made = randomBytes(48).toString('base64url');
  await writeWhole(file, made, 'secret');
  return made;
}

function noFile(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** The operations of Secrets Manager that handlers call, by name. */
export const secretsOf = (linkKey: string): Record<string, Operation> => ({
  GetSecretValue({ SecretId = '' }) {
    if (![LINK_KEY.Name, LINK_KEY.ARN].includes(SecretId)) {
      throw new ServiceError('ResourceNotFoundException', "Secrets Manager can't find the specified secret.");
    }
    return { ...LINK_KEY, VersionId: 'local', VersionStages: ['AWSCURRENT'], SecretString: linkKey };
  },
});
