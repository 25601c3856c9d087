import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Stands before a machine's tables, and refuses writes when told to. */
export interface FailingProxy {
  readonly url: string;
  /** Refuses the n-th write of a function from now on, once: 1 for the next. */
  fail(name: string, nth: number): void;
  close(): void;
}

const WRITES = ['PutItem', 'UpdateItem', 'DeleteItem'];

export async function failingProxy(upstream: () => string): Promise<FailingProxy> {
  let failing: { name: string; left: number } | undefined;
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    const operation = String(request.headers['x-amz-target'] ?? '').split('.')[1] ?? '';
    const by = /app\/([a-z-]+)\.\d+/.exec(request.headers['user-agent'] ?? '')?.[1];
    if (failing && by === failing.name && WRITES.includes(operation) && --failing.left === 0) {
      failing = undefined;
      response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
      return void response.end(JSON.stringify({ __type: 'com.amazon.coral.validate#ValidationException', message: 'refused by the test' }));
    }
    const target = new URL(request.url ?? '/', upstream());
    const sent = httpRequest(target, { method: request.method, headers: { ...request.headers, host: target.host } }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    sent.on('error', () => response.destroy()).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fail: (name, nth) => {
      failing = { name, left: nth };
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
