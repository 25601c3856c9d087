import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Where an operation can be cut off: before it takes effect, or after it and before the answer. */
export type When = 'before' | 'after';

/** One operation of a function's process on the outside. */
export interface Operation {
  /** `<function> <what>`, e.g. `tool-step PutItem`. */
  readonly name: string;
  readonly pid: number;
}

/** Counts the operations of a run, and kills the process that makes the chosen one. */
export interface Striker {
  readonly seen: string[];
  readonly struck: string | undefined;
  /** Forgets what was counted, and aims at the operation with this number, from 0; undefined spares all. */
  aim(at: number | undefined, when: When): void;
  /** Aims at the first operation of this name. */
  aimAt(name: string, when: When): void;
  /** Notes an operation; true when its process was killed. */
  pass(operation: Operation, when: When): boolean;
}

export function createStriker(): Striker {
  let seen: string[] = [];
  let target: { at?: number | undefined; name?: string; when: When } = { when: 'before' };
  let struck: string | undefined;
  let current = -1;
  return {
    get seen() {
      return seen;
    },
    get struck() {
      return struck;
    },
    aim(at, when) {
      seen = [];
      struck = undefined;
      target = { at, when };
    },
    aimAt(name, when) {
      seen = [];
      struck = undefined;
      target = { name, when };
    },
    pass({ name, pid }, when) {
      if (when === 'before') {
        current = seen.length;
        seen.push(name);
      }
      if (struck !== undefined || target.when !== when || (current !== target.at && name !== target.name)) return false;
      struck = `${name} (${when})`;
      process.kill(pid, 'SIGKILL');
      return true;
    },
  };
}

/** A proxy in front of one of the machine's AWS endpoints: every operation of a function passes the striker. */
export async function strikeProxy(upstream: () => string, striker: Striker): Promise<{ url: string; close(): void }> {
  // One operation at a time, so that `before` and `after` of one are never mixed up with another's.
  let queue: Promise<unknown> = Promise.resolve();
  const server = createServer((request, response) => {
    queue = queue.then(() => relay(upstream(), striker, request, response)).catch(() => void response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function relay(upstream: string, striker: Striker, request: IncomingMessage, response: ServerResponse): Promise<unknown> {
  const body = await bodyOf(request);
  const operation = operationOf(request);
  const counted = operation && !operation.name.startsWith('read-runs') ? operation : undefined;
  if (counted && striker.pass(counted, 'before')) return request.socket.destroy();
  const answer = await forward(upstream, request, body);
  if (counted && striker.pass(counted, 'after')) return request.socket.destroy();
  return response.writeHead(answer.status, answer.headers).end(answer.body);
}

/** S3 has no other name for an operation on an object. */
const OBJECT_CALLS: Record<string, string> = { PUT: 'PutObject', GET: 'GetObject', DELETE: 'DeleteObject' };

/** The SDK's user agent names the process (`app/<function>.<pid>`). */
function operationOf({ headers, method, url }: IncomingMessage): Operation | undefined {
  const app = /app\/([a-z-]+)\.(\d+)/.exec(headers['user-agent'] ?? '');
  const target = String(headers['x-amz-target'] ?? '').split('.')[1];
  const what = target ?? (url?.startsWith('/v2/email/') ? 'SendEmail' : OBJECT_CALLS[method ?? '']);
  return app ? { name: `${app[1]} ${what}`, pid: Number(app[2]) } : undefined;
}

function forward(upstream: string, { method, url, headers }: IncomingMessage, body: Buffer) {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: Buffer }>((resolve, reject) => {
    const target = new URL(url ?? '/', upstream);
    const sent = httpRequest(target, { method, headers: { ...headers, host: target.host } }, async (answer) => {
      resolve({ status: answer.statusCode ?? 502, headers: answer.headers, body: await bodyOf(answer) });
    });
    sent.on('error', reject).end(body);
  });
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
