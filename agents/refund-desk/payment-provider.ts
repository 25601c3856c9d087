import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { type Booking, type Ledger, MODES, type Mode, openLedger } from './ledger.ts';

/**
 * The outside world of the sample agents: a payment provider in a process of its own, with a ledger of its own.
 *
 *   POST /dedupes/refunds   the same Idempotency-Key books once
 *   POST /askable/refunds   books every time; GET /askable/refunds?key=... tells whether a key was booked
 *   POST /plain/refunds     books every time, and cannot be asked
 *   GET  /rates             changes nothing
 *
 * and the same with `mails`. `POST /control {"hold": true}` makes it book what is new and keep the response back, which is
 * where a caller's crash hurts most; `{"hold": false}` lets all responses go. `GET /control` tells what it counted.
 */

const THINGS: Record<string, Booking['kind']> = { refunds: 'refund', mails: 'mail' };

/** What happens to a request: a status and a body, kept back or sent. */
interface Desk {
  readonly ledger: Ledger;
  readonly kept: Set<() => void>;
  hold: boolean;
  /** Requests that changed nothing, that asked for a booking, and that wanted one made. */
  readonly counts: { reads: number; asked: number } & Record<Mode, number>;
}

/** Starts the provider on the loopback interface. Returns its address. */
export async function startPaymentProvider({
  file,
  port = 0,
}: {
  file: string;
  port?: number;
}): Promise<{ url: string; lastUsed: () => number }> {
  const desk: Desk = {
    ledger: openLedger(file),
    kept: new Set(),
    hold: false,
    counts: { reads: 0, asked: 0, dedupes: 0, askable: 0, plain: 0 },
  };
  let lastUsed = Date.now();
  const server = createServer((request, response) => {
    lastUsed = Date.now();
    serve(desk, request, response).catch((error: unknown) => send(response, 400, { error: String(error) }));
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, lastUsed: () => lastUsed };
}

async function serve(desk: Desk, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const [, first = '', second = ''] = url.pathname.split('/');
  if (first === 'control') return control(desk, request, response);
  if (first === 'rates') return read(desk, response);
  const mode = MODES.find((one) => one === first);
  const kind = THINGS[second];
  if (!mode || !kind) return send(response, 404, { error: `there is no ${url.pathname}` });
  if (request.method === 'GET') return tell(desk, mode, url.searchParams.get('key'), response);
  const details = (await json(request)) as Booking['details'];
  desk.counts[mode] += 1;
  const key = request.headers['idempotency-key']?.toString();
  const known = mode === 'dedupes' && key !== undefined ? desk.ledger.find(mode, key) : undefined;
  if (known) send(response, 200, known);
  else answerNew(desk, response, 201, desk.ledger.book({ kind, mode, ...(key === undefined ? {} : { key }), details }));
}

function tell({ ledger, counts }: Desk, mode: Mode, key: string | null, response: ServerResponse): void {
  const askable = mode === 'askable' && key;
  counts.asked += 1;
  const booking = askable ? ledger.find(mode, key) : undefined;
  if (!askable) send(response, 405, { error: `cannot be asked: this is ${mode}` });
  else send(response, 200, booking ? { found: true, booking } : { found: false });
}

function read(desk: Desk, response: ServerResponse): void {
  desk.counts.reads += 1;
  answerNew(desk, response, 200, { EUR: 1, USD: 1.08, CHF: 0.94 });
}

async function control(desk: Desk, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === 'POST') {
    desk.hold = ((await json(request)) as { hold?: boolean }).hold === true;
    if (!desk.hold) for (const release of desk.kept) release();
  }
  send(response, 200, {
    pid: process.pid,
    hold: desk.hold,
    kept: desk.kept.size,
    ...desk.counts,
    bookings: desk.ledger.bookings.length,
  });
}

/** Answers what was done just now, or keeps the response back until it is let go or its caller is gone. */
function answerNew(desk: Desk, response: ServerResponse, status: number, body: unknown): void {
  const release = () => {
    desk.kept.delete(release);
    send(response, status, body);
  };
  if (desk.hold) desk.kept.add(release);
  else release();
  response.once('close', () => desk.kept.delete(release));
}

function send(response: ServerResponse, status: number, body: unknown): void {
  if (!response.headersSent) response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Without a caller and without whoever started it, the process ends after this, ms. */
const ORPHAN_MS = 15 * 60 * 1000;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { ledger: { type: 'string' }, port: { type: 'string' }, info: { type: 'string' } } });
  if (!values.ledger) throw new Error('Cannot start the payment provider: say --ledger FILE');
  const starter = process.ppid;
  const { url, lastUsed } = await startPaymentProvider({ file: values.ledger, port: Number(values.port ?? 0) });
  if (values.info) writeFileSync(values.info, JSON.stringify({ url, pid: process.pid }));
  console.log(url);
  setInterval(() => {
    if (process.ppid !== starter && Date.now() - lastUsed() > ORPHAN_MS) process.exit(0);
  }, 10_000).unref();
}

if (import.meta.main) await main();
