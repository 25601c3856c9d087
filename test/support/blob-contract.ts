import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { runBlobs } from '../../shared/blob.ts';

type BlobStore = typeof import('../../lambdas/lib/blob-store.ts');
type Check = (store: BlobStore) => Promise<void>;

/** Every check works on blobs of its own. */
const owner = () => runBlobs(randomBytes(8).toString('hex'));

/** What a blob store must do, whoever answers its requests: a folder of this machine, or S3. */
export const blobContract: Record<string, Check> = {
  async 'gives back the bytes that it was given'({ putBlob, getBlob }) {
    for (const bytes of [Buffer.alloc(0), Buffer.from([0, 255, 13, 10]), randomBytes(3_000_000)]) {
      const kept = await putBlob(owner(), bytes);
      assert.equal(kept.bytes, bytes.length);
      assert.ok(bytes.equals(await getBlob(kept)));
    }
  },

  async 'takes the same bytes again, and at once, for the same blob'({ putBlob, getBlob, listBlobs }) {
    const [prefix, bytes] = [owner(), randomBytes(200_000)];
    const kept = await Promise.all(Array.from({ length: 8 }, () => putBlob(prefix, bytes)));
    assert.deepEqual(new Set(kept.map(({ key }) => key)).size, 1);
    assert.deepEqual(await listBlobs(prefix), [kept[0]?.key]);
    assert.ok(bytes.equals(await getBlob(await putBlob(prefix, bytes))));
  },

  async 'says which blob is not there'({ putBlob, getBlob, deleteBlob }) {
    const kept = await putBlob(owner(), Buffer.from('soon gone'));
    await deleteBlob(kept.key);
    await assert.rejects(getBlob(kept), { name: 'UnreadableItemError', message: new RegExp(`^Cannot read blob "${kept.key}" of 9 bytes`) });
  },

  async 'lists the blobs of one owner, and removes them'({ putBlob, listBlobs, deleteBlob }) {
    const [mine, other] = [owner(), owner()];
    const kept = await Promise.all(['a', 'b', 'c'].map((text) => putBlob(mine, Buffer.from(text))));
    await putBlob(other, Buffer.from('a'));
    assert.deepEqual(await listBlobs(mine), kept.map(({ key }) => key).toSorted());
    for (const { key } of kept) await deleteBlob(key);
    await deleteBlob(kept[0]?.key ?? '');
    assert.deepEqual(await listBlobs(mine), []);
    assert.equal((await listBlobs(other)).length, 1);
  },

  async 'lists more than a page of them'({ putBlob, listBlobs }) {
    const prefix = owner();
    for (let from = 0; from < 1_100; from += 100)
      await Promise.all(Array.from({ length: 100 }, (_, i) => putBlob(prefix, Buffer.from(String(from + i)))));
    assert.equal(new Set(await listBlobs(prefix)).size, 1_100);
  },
};
