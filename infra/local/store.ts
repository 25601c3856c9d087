import { EventEmitter } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceInUseException,
} from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import type { TableDefinition } from './definition.ts';
import { isLocal, type Listening, listenWith, readBody } from './loopback.ts';
import { DUMMY_CREDENTIALS, REGION } from './names.ts';
import { pause } from './pause.ts';

/** DynamoDB on this machine. `operations` counts requests by name, `bytesWritten` the bodies of those that write. */
export interface Store extends Listening {
  operations: Record<string, number>;
  bytesWritten: number;
}

type Counted = Pick<Store, 'operations' | 'bytesWritten'> & {
  /** Requests that the engine is at work on; undefined once the store is being closed. */
  busy: Set<Promise<void>> | undefined;
};
const WRITES = new Set(['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem']);
/** The engine takes a few milliseconds to make a table. */
const MAX_CREATION_MS = 5000;
/** How long a store that is being closed waits for what the engine is at work on, ms. */
const MAX_CLOSING_MS = 5000;
const MAX_REQUEST_BYTES = 16 * 1024 * 1024;

/** Opens the tables in a folder, which must not be in use, and makes those that are missing. */
export async function openStore(folder: string, tables: TableDefinition[]): Promise<Store> {
  const server = dynalite({ path: folder, createTableMs: 0, updateTableMs: 0, deleteTableMs: 0 });
  const [engine] = server.listeners('request') as [RequestListener];
  const counted: Counted = { operations: {}, bytesWritten: 0, busy: new Set() };
  const guarded: RequestListener = (request, response) => void pass(request, response, engine, counted).catch(() => response.destroy());
  server.removeAllListeners('request').on('request', guarded);
  const listening = await listenWith(server);
  const store = Object.assign(counted, listening, { close: () => finishAndClose(counted, listening) });
  await createTables(store.url, tables).catch(async (error) => {
    await store.close();
    throw error;
  });
  store.operations = {};
  return store;
}

/** Closes the engine when it has nothing left to do: in the middle of a request it would fail in a way that ends the process. */
async function finishAndClose(counted: Counted, { close }: Listening): Promise<void> {
  const busy = [...(counted.busy ?? [])];
  counted.busy = undefined;
  const done = new AbortController();
  await Promise.race([Promise.all(busy), pause(MAX_CLOSING_MS, done.signal)]);
  done.abort();
  await close();
}

/**
 * Hands a request to the engine once all of it is here: the engine takes a client that dies in mid-request for a fault of
 * its own, and it lets pages of any site in.
 */
async function pass(request: IncomingMessage, response: ServerResponse, engine: RequestListener, counted: Counted) {
  const port = request.socket.localPort as number;
  const body = await readBody(request, MAX_REQUEST_BYTES);
  if (!body || !isLocal(request, port)) return void response.writeHead(403).end();
  if (!counted.busy) return void response.destroy();
  noteUntilAnswered(counted.busy, response);
  const operation = String(request.headers['x-amz-target']).split('.')[1] ?? 'none';
  counted.operations[operation] = (counted.operations[operation] ?? 0) + 1;
  if (WRITES.has(operation)) counted.bytesWritten += body.length;
  const { headers, method, url } = request;
  const whole = Object.assign(new EventEmitter(), { headers, method, url });
  engine(whole as unknown as IncomingMessage, response as never);
  whole.emit('data', body);
  whole.emit('end');
}

/** The engine has done with a request when it ends the answer, even if the client has gone by then. */
function noteUntilAnswered(busy: Set<Promise<void>>, response: ServerResponse): void {
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = response.end.bind(response) as (...written: unknown[]) => ServerResponse;
  response.end = (...written: unknown[]) => {
    busy.delete(promise);
    resolve();
    return end(...written);
  };
  busy.add(promise);
}

async function createTables(endpoint: string, tables: TableDefinition[]): Promise<void> {
  const client = new DynamoDBClient({ endpoint, region: REGION, credentials: DUMMY_CREDENTIALS });
  await Promise.all(tables.map((table) => createTable(client, table)));
  client.destroy();
}

async function createTable(client: DynamoDBClient, { name, create }: TableDefinition): Promise<void> {
  await client.send(new CreateTableCommand({ ...create, TableName: name } as CreateTableCommandInput)).catch((error) => {
    if (!(error instanceof ResourceInUseException)) throw error;
  });
  for (let waited = 0; waited < MAX_CREATION_MS; waited += 5) {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: name }));
    if (Table?.TableStatus === 'ACTIVE') return;
    await pause(5);
  }
  throw new Error(`Cannot open table "${name}": its creation was interrupted before it held anything; remove the data folder`);
}
