import { CreateTableCommand, type CreateTableCommandInput, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { RUN_TABLE } from '../../shared/tables.ts';
import { blobContract } from '../support/blob-contract.ts';
import { roundTrips } from '../support/round-trips.ts';

/**
 * `node stored-program.ts contract`, `list` with the beginning of keys, or a number of values: in the environment of a function.
 * Fails when something does not hold.
 */
const [what = '', prefix = ''] = process.argv.slice(2);
const seed = Math.floor(Math.random() * 2 ** 31);

if (what === 'contract') {
  const store = await import('../../lambdas/lib/blob-store.ts');
  for (const [name, check] of Object.entries(blobContract)) {
    await check(store).catch((cause: Error) => {
      throw new Error(`The blob store on S3 does not hold "${name}": ${cause.message}`, { cause });
    });
  }
  console.log(`${Object.keys(blobContract).length} tried`);
} else if (what === 'list') {
  const { listBlobs } = await import('../../lambdas/lib/blob-store.ts');
  console.log(`${(await listBlobs(prefix)).length} tried`);
} else {
  await createTable();
  await roundTrips(await import('../../lambdas/lib/log-store.ts'), Number(what), seed);
  console.log(`${what} tried, seed ${seed}`);
}

async function createTable(): Promise<void> {
  const keys = [RUN_TABLE.partitionKey, RUN_TABLE.sortKey];
  const input: CreateTableCommandInput = {
    TableName: process.env.HOLDFAST_TABLE,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: keys.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: keys.map((AttributeName, i) => ({ AttributeName, KeyType: i === 0 ? 'HASH' : 'RANGE' })),
  };
  await new DynamoDBClient({}).send(new CreateTableCommand(input));
}
