import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A call of a function to a service: which function, and what it called, e.g. `Query Runs/byStatus`. */
export interface ServiceCall {
  readonly name: string;
  readonly call: string;
}

/** Stands before one of a machine's services, and notes what functions call. */
export interface CallRecorder {
  readonly url: string;
  close(): void;
}

/** Starts a recorder before a service; what it hears is handed to `note`. */
export async function recordCalls(upstream: () => string, note: (call: ServiceCall) => void): Promise<CallRecorder> {
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    const heard = callOf(request, body);
    if (heard) note(heard);
    const target = new URL(request.url ?? '/', upstream());
    const sent = httpRequest(target, { method: request.method, headers: { ...request.headers, host: target.host } }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    sent.on('error', () => response.destroy()).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

const OBJECT_CALLS: Record<string, string> = { PUT: 'PutObject', DELETE: 'DeleteObject' };

/** The SDK's user agent names the function (`app/<function>.<pid>`). */
function callOf({ headers, method, url }: IncomingMessage, body: Buffer): ServiceCall | undefined {
  const name = /app\/([a-z-]+)\.\d+/.exec(headers['user-agent'] ?? '')?.[1];
  const operation = String(headers['x-amz-target'] ?? '').split('.')[1] ?? (url?.endsWith('/outbound-emails') ? 'SendEmail' : undefined);
  if (name && !operation && /^\/[^/?]+\/?\?.*list-type=/.test(url ?? '')) return { name, call: 'ListBucket' };
  if (name && !operation && /^\/[^/]+\/(runs|keys)\//.test(url ?? '')) return { name, call: OBJECT_CALLS[method ?? ''] ?? 'GetObject' };
  if (!name || !operation) return undefined;
  const { TableName, IndexName } = JSON.parse(body.toString() || '{}') as Record<string, string | undefined>;
  return { name, call: [operation, [TableName, IndexName].filter(Boolean).join('/')].filter(Boolean).join(' ') };
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
