import { link, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { draftOf } from './cache.ts';

/** A folder of files by key, as S3 keeps objects. */
export interface BlobFolder {
  /** Keeps bytes unless there are some under this key; tells whether it did. A reader sees all of them or none. */
  put(key: string, bytes: Uint8Array): Promise<boolean>;
  get(key: string): Promise<Buffer | undefined>;
  /** The keys that begin with a prefix, sorted. */
  list(prefix: string): Promise<string[]>;
  remove(key: string): Promise<void>;
}

/** What is written beside the blobs until it is whole. */
const DRAFTS = '.drafts';

/** Opens a folder of blobs; it is made with the first of them. */
export function openBlobFolder(folder: string): BlobFolder {
  const pathOf = (key: string) => join(folder, ...partsOf(key));
  return {
    async put(key, bytes) {
      const [path, draft] = [pathOf(key), draftOf(join(folder, DRAFTS, 'blob'))];
      await Promise.all([dirname(path), dirname(draft)].map((parent) => mkdir(parent, { recursive: true })));
      await writeFile(draft, bytes, { flush: true });
      try {
        // A link, unlike a rename, fails when the name is taken.
        await link(draft, path);
        return true;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
        return false;
      } finally {
        await rm(draft, { force: true });
      }
    },
    get: (key) => readFile(pathOf(key)).catch(ifThere),
    async list(prefix) {
      const parent = prefix.slice(0, prefix.lastIndexOf('/') + 1);
      const root = parent ? pathOf(parent.slice(0, -1)) : folder;
      const entries = (await readdir(root, { recursive: true, withFileTypes: true }).catch(ifThere)) ?? [];
      const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
      const keys = files.map((file) => relative(folder, file).split('\\').join('/'));
      return keys.filter((key) => key.startsWith(prefix) && !key.startsWith(`${DRAFTS}/`)).toSorted();
    },
    remove: (key) => rm(pathOf(key), { force: true }),
  };
}

/** Keys are made of these; nothing else becomes a path. */
function partsOf(key: string): string[] {
  const parts = key.split('/');
  if (parts.every((part) => /^[\w-][\w.-]*$/.test(part))) return parts;
  throw new TypeError(`Cannot use the key "${key}": its parts must be letters, digits, "-", "_" and "."`);
}

function ifThere(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'EISDIR' && error.code !== 'ENOTDIR') throw error;
}
