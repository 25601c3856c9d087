import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ROOT } from '../bundling.ts';

/** Where things made from the sources are kept, so that a start with unchanged sources makes nothing. */
export const CACHE = join(ROOT, '.holdfast/cache');

/** A hash over some text and the contents of files, named from the project's folder. Fails when a file is missing. */
export async function hashOf(text: string, files: string[]): Promise<string> {
  const contents = await Promise.all(files.map((file) => readFile(resolve(ROOT, file))));
  const hash = createHash('sha256').update(text);
  for (const content of contents) hash.update(`\n${content.length}:`).update(content);
  return hash.digest('hex').slice(0, 32);
}

/** A path beside another that no other process uses. */
export const draftOf = (path: string) => `${path}.${randomUUID()}`;

/** Writes a file so that a reader sees all of it or none; only this user may read a `secret` one. */
export async function writeWhole(file: string, text: string, kind: 'open' | 'secret' = 'open'): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const draft = draftOf(file);
  await writeFile(draft, text, kind === 'secret' ? { mode: 0o600 } : {});
  await rename(draft, file);
}
