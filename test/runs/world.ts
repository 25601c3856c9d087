import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from '../../shared/json.ts';

/** The outside of the stories: a system that tools read and change. It outlives every process of the runtime. */
export interface World {
  readonly url: string;
  /** Effects applied so far, in order: the key that was given, and what was done. */
  readonly applied: { key: string; name: string; input: Json }[];
  /** Called for each request, before and after it takes effect; may not answer. */
  strike?: (request: { pid: number; path: string }, when: 'before' | 'after') => boolean;
  /** Waited for after an effect, before the tool gets its answer. */
  onApply?: (effect: { key: string; name: string; input: Json }) => Promise<void>;
  close(): Promise<void>;
}

interface WorldRequest {
  key: string;
  name: string;
  input: Json;
  /** Whether a key that was seen before is dropped. */
  dedupe?: boolean;
  pid: number;
  holdMs?: number;
  /** Where the result of an order is posted, until somebody takes it. */
  callbackUrl?: string;
}

/** Starts the outside world on a free loopback port. */
export async function startWorld(): Promise<World> {
  const applied: World['applied'] = [];
  const open = new AbortController();
  const server = createServer(async (request, response) => {
    const asked = (await bodyOf(request)) as WorldRequest;
    const struck = (when: 'before' | 'after') => world.strike?.({ pid: asked.pid, path: request.url ?? '' }, when) ?? false;
    if (struck('before')) return void request.socket.destroy();
    const answer = act(applied, request.url ?? '', asked);
    if (struck('after')) return void request.socket.destroy();
    if (request.url === '/apply') await world.onApply?.(asked);
    if (asked.callbackUrl) void deliver(asked.callbackUrl, { delivered: asked.input }, open.signal);
    if (asked.holdMs) await new Promise((resolve) => setTimeout(resolve, asked.holdMs));
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const world: World = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    applied,
    close: () => {
      open.abort();
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return world;
}

function act(applied: World['applied'], path: string, { key, name, input, dedupe }: WorldRequest): Json {
  const known = applied.some((effect) => effect.key === key);
  if (path === '/read') return { name, input, value: 'as it is' };
  if (path === '/find') return { known };
  if (!(dedupe && known)) applied.push({ key, name, input });
  return { done: name };
}

/** Posts a result as a careful shop does: until it is taken. */
async function deliver(url: string, output: Json, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const response = await fetch(url, { method: 'POST', body: JSON.stringify({ output }), signal }).catch(() => undefined);
    if (response && response.status < 500) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString() || '{}');
}

/** Asks the world from within a tool. */
export async function askWorld(path: string, request: Omit<WorldRequest, 'pid'>, signal?: AbortSignal): Promise<Record<string, Json>> {
  const url = `${process.env.WORLD_URL}${path}`;
  const body = JSON.stringify({ ...request, pid: process.pid });
  const response = await fetch(url, { method: 'POST', body, ...(signal ? { signal } : {}) });
  return (await response.json()) as Record<string, Json>;
}
