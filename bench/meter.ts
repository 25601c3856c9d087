import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bytesWritten, type Wire } from './item-bytes.ts';

/** One operation that a step made on the tables. */
export interface Operation {
  readonly name: string;
  /** Bytes that it changes in a table, by DynamoDB's rules for the size of an item; 0 for a read. */
  readonly bytes: number;
  /** Bytes of the answer to a read, as they come over the wire; 0 for a write. */
  readonly read: number;
  /** The `type` of the record that it puts. */
  readonly record: string | undefined;
}

/** Stands between the functions and the tables and notes each operation. */
export interface Meter {
  readonly url: string;
  readonly operations: Operation[];
  close(): void;
}

/** Starts a meter in front of the tables' address. */
export async function startMeter(upstream: () => string): Promise<Meter> {
  const operations: Operation[] = [];
  const server = createServer((request, response) => void relay(upstream(), request, response, operations).catch(() => response.destroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url, operations, close };
}

async function relay(upstream: string, request: IncomingMessage, response: ServerResponse, operations: Operation[]): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const kept = ['content-type', 'x-amz-target', 'x-amz-date', 'authorization'];
  const headers = Object.fromEntries(kept.map((name) => [name, String(request.headers[name])]));
  const answer = await fetch(upstream, { method: 'POST', headers, body });
  response.writeHead(answer.status, { 'content-type': String(answer.headers.get('content-type')) });
  const given = Buffer.from(await answer.arrayBuffer());
  operations.push(operationOf(request, JSON.parse(body.toString()) as Wire, given.length));
  response.end(given);
}

function operationOf({ headers }: IncomingMessage, wire: Wire, answered: number): Operation {
  const name = String(headers['x-amz-target']).split('.')[1] ?? '';
  const read = name === 'Query' || name === 'GetItem' ? answered : 0;
  return { name, bytes: bytesWritten(wire), read, record: wire.Item?.type?.S };
}
