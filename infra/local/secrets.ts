import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
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

/** Keeps every key that `link.key` ever had, so that one which is put in its place loses nothing. Returns all of them. */
export async function keepLinkKeys(dataDir: string, current: string): Promise<string[]> {
  const folder = join(dataDir, 'link-keys');
  await writeWhole(join(folder, versionOf(current)), current, 'secret');
  const names = (await readdir(folder)).filter((name) => VERSION.test(name));
  return Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
}

/** The version of a key is named by its hash. */
const versionOf = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, 32);
const VERSION = /^[0-9a-f]{32}$/;

/** The operations of Secrets Manager that handlers call, by name: for the key of links, and for those before it. */
export const secretsOf = (linkKey: string, before: readonly string[] = []): Record<string, Operation> => ({
  GetSecretValue({ SecretId = '', VersionId = versionOf(linkKey) }) {
    const key = [linkKey, ...before].find((each) => versionOf(each) === VersionId);
    if (![LINK_KEY.Name, LINK_KEY.ARN].includes(SecretId) || key === undefined) {
      throw new ServiceError('ResourceNotFoundException', "Secrets Manager can't find the specified secret.");
    }
    return { ...LINK_KEY, VersionId, VersionStages: key === linkKey ? ['AWSCURRENT'] : [], SecretString: key };
  },
});
