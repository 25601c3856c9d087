import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Desk, MODES, openDesk } from './shop/desk.ts';
import { Refusal } from './shop/refusal.ts';
import { readStock, type Stock } from './shop/shop.ts';

/**
 * The outside world of the agents: a shop in a process of its own, which no crash of its callers touches.
 *
 *   POST /<mode>/<desk>/<tool>       does what the tool does, under the header Idempotency-Key
 *   GET  /find/<desk>/applied?key=   tells whether a key's change was made; only in this mode
 *   GET  /journal/<desk>             tells all that happened; the callers do not know this address
 *   GET  /journal                    names the desks
 */
interface Counter {
  readonly stock: Stock;
  readonly desks: Map<string, Desk>;
  /** The longest time that an answer is kept back once the work is done, ms: here a caller's crash hurts most. */
  readonly holdMs: number;
}

/** Who asks what happened is answered after this, ms: by then the last words of a caller that died have been read. */
const SETTLE_MS = 30;

/** Starts the shop on the loopback interface. */
export async function startShop(stock: Stock, { port = 0, holdMs = 0 } = {}): Promise<{ url: string; close(): void }> {
  const counter: Counter = { stock, desks: new Map(), holdMs };
  const server = createServer((request, response) => {
    serve(counter, request, response).catch((error: Error) => answer(response, 500, { error: error.message }));
  });
  // A connection that the shop closes by itself may be one that a caller is about to use.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

async function serve(counter: Counter, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const [, first = '', desk = '', tool = ''] = pathname.split('/');
  const mode = MODES.find((one) => one === first);
  if (request.method !== 'POST' || !mode) return tell(counter, response, [first, desk, tool].join('/'), searchParams);
  const input = (await json(request)) as Record<string, unknown>;
  const key = String(request.headers['idempotency-key']);
  const done = attempt(() => ({ output: deskOf(counter, desk).call(mode, tool, input, key) }));
  if (counter.holdMs > 0) await setTimeout(Math.random() * counter.holdMs);
  answer(response, done.status, done.body);
}

/** Tells what happened, to those who may ask. */
async function tell({ desks, stock }: Counter, response: ServerResponse, path: string, query: URLSearchParams): Promise<void> {
  const [topic, name = '', what] = path.split('/');
  await setTimeout(SETTLE_MS);
  const desk = desks.get(name) ?? openDesk(stock);
  if (topic === 'journal') return answer(response, 200, name ? desk.report() : { desks: [...desks.keys()] });
  if (topic !== 'find' || what !== 'applied') return answer(response, 404, { error: `there is no /${path}` });
  const applied = desk.find(String(query.get('key')));
  answer(response, 200, applied ? { applied: true, output: applied.output } : { applied: false });
}

function deskOf({ desks, stock }: Counter, name: string): Desk {
  const desk = desks.get(name) ?? openDesk(stock);
  desks.set(name, desk);
  return desk;
}

/** A refusal is an answer too. */
function attempt(work: () => object): { status: number; body: object } {
  try {
    return { status: 200, body: work() };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { status: 422, body: { refused: error.message } };
  }
}

function answer(response: ServerResponse, status: number, body: object): void {
  if (!response.headersSent) response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** `node shop.ts --data FOLDER [--port N] [--hold-ms N]` reports its address, and ends with the process that started it. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { data: { type: 'string' }, port: { type: 'string' }, 'hold-ms': { type: 'string' } } });
  if (!values.data) throw new Error('Cannot start the shop: say --data FOLDER');
  const { url } = await startShop(readStock(values.data), { port: Number(values.port ?? 0), holdMs: Number(values['hold-ms'] ?? 0) });
  process.on('disconnect', () => process.exit(0));
  if (process.send) process.send({ url });
  else console.log(`The shop is at ${url}`);
}

if (import.meta.main) await main();
