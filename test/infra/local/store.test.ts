import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient, PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { DUMMY_CREDENTIALS, REGION } from '../../../infra/local/names.ts';
import { openStore } from '../../../infra/local/store.ts';

const TABLE = {
  name: 'Runs',
  create: {
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    AttributeDefinitions: [
      { AttributeName: 'pk', AttributeType: 'S' },
      { AttributeName: 'sk', AttributeType: 'S' },
    ],
    BillingMode: 'PAY_PER_REQUEST',
  },
};

it('a store that is closed finishes what it is at work on, and what it said it wrote is there', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-store-'));
  const clientOf = (endpoint: string) => new DynamoDBClient({ endpoint, region: REGION, credentials: DUMMY_CREDENTIALS, maxAttempts: 1 });
  try {
    const store = await openStore(folder, [TABLE]);
    const client = clientOf(store.url);
    const query = { TableName: 'Runs', KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': { S: 'a' } } };
    const written = Array.from({ length: 40 }, async (_, i) => {
      await client.send(new PutItemCommand({ TableName: 'Runs', Item: { pk: { S: 'a' }, sk: { S: `${i}` } } }));
      return `${i}`;
    });
    const read = Array.from({ length: 40 }, () => client.send(new QueryCommand(query)));
    const settled = Promise.allSettled(read);
    await Promise.any([...written, ...read]);
    const closed = store.close();
    const kept = (await Promise.allSettled(written)).flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    await Promise.all([settled, closed]);
    client.destroy();
    const again = await openStore(folder, [TABLE]);
    const reader = clientOf(again.url);
    const found = ((await reader.send(new QueryCommand(query))).Items ?? []).map(({ sk }) => sk?.S);
    reader.destroy();
    await again.close();
    expect(found).toEqual(expect.arrayContaining(kept));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
