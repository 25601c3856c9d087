import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runBlobs } from '../../../shared/blob.ts';
import { blobContract } from '../../support/blob-contract.ts';
import { openTables } from '../../support/tables.ts';

let tables: Awaited<ReturnType<typeof openTables>>;
let blobs: typeof import('../../../lambdas/lib/blob-store.ts');
beforeAll(async () => {
  tables = await openTables();
  blobs = await import('../../../lambdas/lib/blob-store.ts');
});
afterAll(() => tables?.close());

describe('the blob store on this machine', () => {
  it.each(Object.entries(blobContract))('%s', async (_, check) => check(blobs));
});

describe('getBlob()', () => {
  it('says that the bytes are others than were kept', async () => {
    const kept = await blobs.putBlob(runBlobs('damaged'), Buffer.from('whole'));
    await tables.damage(kept.key, Buffer.from('whale'));
    await expect(blobs.getBlob(kept)).rejects.toThrow(`Cannot read blob "${kept.key}": it has 5 bytes with another hash than the 5 kept`);
  });
});
