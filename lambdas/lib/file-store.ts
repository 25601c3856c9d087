import { runBlobs } from '../../shared/blob.ts';
import { UnreadableItemError } from '../../shared/errors.ts';
import { type FileRef, filesIn } from '../../shared/file.ts';
import type { Json } from '../../shared/json.ts';
import type { Meta } from '../../shared/meta.ts';
import { getBlob, putBlob } from './blob-store.ts';
import { readMeta } from './meta-store.ts';

/** Keeps the bytes of files among the blobs of a run. They are there when this returns, before anything points to them. */
export async function putFiles(runId: string, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
  for (const bytes of files.values()) await putBlob(runBlobs(runId), bytes);
}

/** Keeps the files that a value names among the blobs of another run too. */
export async function copyFiles(from: string, to: string, value: Json): Promise<void> {
  for (const file of filesIn(value)) {
    const bytes = await readFile({ runId: from }, file);
    if (bytes) await putBlob(runBlobs(to), bytes);
  }
}

/** What of a run says where its files may lie. */
type Owner = Pick<Meta, 'runId' | 'parent'>;

/**
 * Reads the bytes of a file that a run's log names: from the run's own blobs, else from those of the runs it comes from, whose
 * records it shares or repeats. Returns undefined when they are not there; throws while the blob store cannot be reached.
 */
export async function readFile(run: Owner, { sha256, bytes }: Pick<FileRef, 'sha256' | 'bytes'>): Promise<Buffer | undefined> {
  for (let owner: Owner | undefined = run; owner; owner = await parentOf(owner)) {
    const key = `${runBlobs(owner.runId)}${sha256}`;
    const found = cached(key) ?? (await getBlob({ key, sha256, bytes }).catch(unlessGone));
    if (found) return remember(key, found);
  }
  return undefined;
}

const parentOf = async ({ parent }: Owner): Promise<Owner | undefined> =>
  parent && ((await readMeta(parent.runId)) ?? { runId: parent.runId });

/** What is not there, or is there with other bytes, is not the file. */
function unlessGone(error: unknown): undefined {
  if (!(error instanceof UnreadableItemError)) throw error;
}

/** Blobs never change, so a warm worker keeps those it has read: the newest, up to this many bytes. */
const CACHED_BYTES = 64_000_000;
const cache = new Map<string, Buffer>();
let held = 0;

function cached(key: string): Buffer | undefined {
  const found = cache.get(key);
  if (found) forget(key, found);
  return found;
}

function remember(key: string, bytes: Buffer): Buffer {
  cache.set(key, bytes);
  held += bytes.length;
  for (const [oldest, other] of cache) {
    if (held <= CACHED_BYTES) break;
    forget(oldest, other);
  }
  return bytes;
}

function forget(key: string, bytes: Buffer): void {
  cache.delete(key);
  held -= bytes.length;
}
