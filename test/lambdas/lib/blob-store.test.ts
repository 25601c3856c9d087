import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
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

describe('a blob store that fails', () => {
  const SLOW = '<?xml version="1.0"?><Error><Code>SlowDown</Code><Message>Reduce your request rate.</Message></Error>';

  /** Has the store answer as often as said with a fault, or cut the connection, before it does its work. */
  async function failing<T>(times: number, fault: 503 | 'cut', work: (seen: () => number) => Promise<T>): Promise<T> {
    const upstream = process.env.AWS_ENDPOINT_URL_S3;
    let seen = 0;
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      if (++seen <= times && fault === 'cut') return void request.socket.destroy();
      if (seen <= times) return void response.writeHead(fault as number).end(SLOW);
      const { host: _, connection: __, ...headers } = request.headers as Record<string, string>;
      const body = request.method === 'PUT' ? { body: Buffer.concat(chunks) } : {};
      const answer = await fetch(`${upstream}${request.url}`, { method: request.method ?? 'GET', headers, ...body });
      response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer()));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    process.env.AWS_ENDPOINT_URL_S3 = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      return await work(() => seen);
    } finally {
      process.env.AWS_ENDPOINT_URL_S3 = upstream;
      server.closeAllConnections();
      server.close();
    }
  }

  it.each([503, 'cut'] as const)('is asked again after %s, and has the bytes then', async (fault) => {
    const prefix = runBlobs(`failing-${fault}`);
    const kept = await failing(3, fault, () => blobs.putBlob(prefix, Buffer.from('kept at last')));
    expect((await failing(3, fault, () => blobs.getBlob(kept))).toString()).toBe('kept at last');
  });

  it.each([
    [503, 'it answered 503 SlowDown'],
    ['cut', 'fetch failed'],
  ] as const)('that does not stop with %s is an error that names the blob, and never counts as one that is gone', async (fault, why) => {
    const kept = await blobs.putBlob(runBlobs(`broken-${fault}`), Buffer.from('x'));
    const errors = await failing(99, fault, async (seen) => {
      const all = [
        await blobs.getBlob(kept).catch((error: Error) => error),
        await blobs.putBlob('runs/other/', Buffer.from('y')).catch((error: Error) => error),
      ];
      expect(seen()).toBe(8);
      return all as Error[];
    });
    for (const error of errors) {
      expect(error).toMatchObject({ name: 'Error', message: expect.stringContaining(why) });
      expect(error.message).toContain(' of the blob store: ');
    }
    expect(errors[0]?.message).toContain(kept.key);
  });
});
