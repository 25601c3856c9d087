import type { BlobPointer } from '../../shared/blob.ts';
import { UnreadableItemError } from '../../shared/errors.ts';
import { sha256 } from './hash.ts';
import { type S3Answer, s3 } from './s3.ts';

/** Keeps bytes under the name of their hash; the same bytes again change nothing. `prefix` names their owner. */
export async function putBlob(prefix: string, bytes: Uint8Array): Promise<BlobPointer> {
  const hash = sha256(bytes);
  const key = `${prefix}${hash}`;
  const answer = await s3({ method: 'PUT', key, headers: { 'if-none-match': '*' }, body: bytes, sha256: hash });
  // 412: these very bytes are there already.
  if (answer.status !== 200 && answer.status !== 412) throw refused('write', key, answer);
  return { key, sha256: hash, bytes: bytes.length };
}

/** Reads the bytes of a blob. Throws an UnreadableItemError when they are gone, or are not those that were kept. */
export async function getBlob({ key, sha256: hash, bytes }: BlobPointer): Promise<Buffer> {
  const answer = await s3({ method: 'GET', key });
  // Without the right to list a bucket S3 says 403 of what is not there.
  if (answer.status === 404 || answer.status === 403)
    throw new UnreadableItemError(`Cannot read blob "${key}" of ${bytes} bytes: it is not there, or this function may not read it`);
  if (answer.status !== 200) throw refused('read', key, answer);
  if (sha256(answer.body) === hash) return answer.body;
  throw new UnreadableItemError(`Cannot read blob "${key}": it has ${answer.body.length} bytes with another hash than the ${bytes} kept`);
}

/** Lists the keys of an owner's blobs. */
export async function listBlobs(prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for (let more: string | undefined = ''; more !== undefined; ) {
    const query = { 'list-type': '2', prefix, ...(more ? { 'continuation-token': more } : {}) };
    const answer = await s3({ method: 'GET', key: '', query });
    if (answer.status !== 200) throw refused('list', prefix, answer);
    const xml = answer.body.toString();
    keys.push(...[...xml.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key));
    more = /<NextContinuationToken>([^<]*)</.exec(xml)?.[1];
  }
  return keys;
}

/** Removes a blob; it may be gone already. */
export async function deleteBlob(key: string): Promise<void> {
  const answer = await s3({ method: 'DELETE', key });
  if (answer.status !== 204 && answer.status !== 404) throw refused('remove', key, answer);
}

function refused(action: string, key: string, { status, body }: S3Answer): Error {
  const code = /<Code>([^<]*)</.exec(body.toString('utf8', 0, 2_000))?.[1];
  return new Error(`Cannot ${action} "${key}" of the blob store: it answered ${status} ${code ?? ''}`.trimEnd());
}
