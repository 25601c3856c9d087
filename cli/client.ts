import { createHash } from 'node:crypto';
import type { z } from 'zod';
import {
  type AnswerRequest,
  answerResponse,
  type BudgetRequest,
  branchResponse,
  type ExportAt,
  eraseResponse,
  exportResponse,
  type ForkRequest,
  importPartResponse,
  type importRequest,
  importResponse,
  listAgentsResponse,
  listAsksResponse,
  listRecordsResponse,
  listRunsResponse,
  listSummariesResponse,
  MAX_PIECE_BYTES,
  type MessageRequest,
  messageResponse,
  noticeResponse,
  type Problem,
  pinResponse,
  problem,
  recordPieceResponse,
  type StartRunRequest,
  startRunResponse,
  steerResponse,
  summaryResponse,
} from '../shared/api.ts';
import type { FileRef } from '../shared/file.ts';
import { cleanText } from './clean.ts';
import { type Gate, isLoopback, type Outgoing, openGate } from './gate.ts';

/** The service gave no answer: nobody listens there, or the connection broke. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}

/** The service answered with a problem. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly status: number;
  readonly problem: Problem | undefined;
  constructor(status: number, message: string, found?: Problem) {
    super(message);
    this.status = status;
    this.problem = found;
  }
}

/** Time for an answer beyond what a long poll waits by itself, s. */
const PATIENCE_SECONDS = 30;

interface Request {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
}

/** The service that is called: a way to its address, and what lets requests in. */
interface Service {
  readonly base: () => Promise<string>;
  readonly gate: Gate;
}

/** The HTTP API at an address, known or yet to be found, one function for each thing it can be asked. Throws a TypeError when it is none. */
export function createClient(address: string | (() => Promise<string>), gate: Gate = openGate) {
  const service = { base: typeof address === 'string' ? constant(baseOf(address)) : async () => baseOf(await address()), gate };
  const get = <S extends z.ZodType>(path: string, schema: S, query: Request['query'] = {}) => call(service, 'GET', path, schema, { query });
  const post = <S extends z.ZodType>(path: string, schema: S, body: unknown, headers = {}) =>
    call(service, 'POST', path, schema, { body, headers });
  const remove = <S extends z.ZodType>(path: string, schema: S, body: unknown) => call(service, 'DELETE', path, schema, { body });
  const run = (runId: string) => `/runs/${encodeURIComponent(runId)}`;
  const ask = (askId: string) => `/asks/${encodeURIComponent(askId)}`;
  return {
    agents: () => get('/agents', listAgentsResponse),
    asks: (query: Request['query'] = {}) => get('/asks', listAsksResponse, query),
    summaries: (runId: string, before?: number) => get(`${run(runId)}/summaries`, listSummariesResponse, { before }),
    discardSummary: (runId: string, seq: number, by: string, again: boolean) =>
      post(`${run(runId)}/summaries/${seq}/${again ? 'remake' : 'discard'}`, summaryResponse, { by }),
    runs: (query: Request['query']) => get('/runs', listRunsResponse, query),
    records: (runId: string, query: Request['query']) => get(`${run(runId)}/records`, listRecordsResponse, query),
    recordPiece: (runId: string, seq: number, from: number) => get(`${run(runId)}/records/${seq}`, recordPieceResponse, { from }),
    start: (request: StartRunRequest, key: string) => post('/runs', startRunResponse, request, { 'idempotency-key': key }),
    message: (runId: string, message: MessageRequest) => post(`${run(runId)}/messages`, messageResponse, message),
    file: (runId: string, file: FileRef) => fetchFile(service, `${run(runId)}/files/${encodeURIComponent(file.sha256)}`, file),
    raise: (runId: string, request: BudgetRequest) => post(`${run(runId)}/budget`, messageResponse, request),
    cancel: (runId: string, by: string) => post(`${run(runId)}/cancel`, steerResponse, { by }),
    /** Where the service is. */
    address: service.base,
    exportPiece: (runId: string, at: ExportAt) => get(`${run(runId)}/export`, exportResponse, { ...at }),
    importLines: (runId: string, request: z.input<typeof importRequest>) => post(`${run(runId)}/import`, importResponse, request),
    importPart: (runId: string, part: string) => post(`${run(runId)}/import`, importPartResponse, { part }),
    erase: (runId: string, by: string, cancel: boolean) => remove(run(runId), eraseResponse, { by, cancel }),
    pin: (runId: string) => get(`${run(runId)}/pin`, pinResponse),
    repin: (runId: string, by: string, expect: string) => post(`${run(runId)}/repin`, steerResponse, { by, expect }),
    resume: (runId: string, by: string) => post(`${run(runId)}/resume`, steerResponse, { by }),
    restart: (runId: string, by: string) => post(`${run(runId)}/restart`, branchResponse, { by }),
    fork: (runId: string, request: ForkRequest, key: string) =>
      post(`${run(runId)}/fork`, branchResponse, request, { 'idempotency-key': key }),
    answer: (askId: string, request: AnswerRequest) => post(`${ask(askId)}/answer`, answerResponse, request),
    notify: (askId: string, to: string, by: string) => post(`${ask(askId)}/notices`, noticeResponse, { to, by }),
    revoke: (askId: string, to: string, by: string) => post(`${ask(askId)}/notices/revoke`, noticeResponse, { to, by }),
  };
}
export type Client = ReturnType<typeof createClient>;

const constant = (base: string) => async () => base;

function baseOf(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password)
    throw new TypeError('Cannot use this address of the service: say it as http://host:port or https://host, without a user name');
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

async function call<S extends z.ZodType>(service: Service, method: string, path: string, schema: S, request: Request): Promise<z.infer<S>> {
  const base = await service.base();
  const outgoing = outgoingOf(base, method, path, request);
  const headers = await service.gate.admit(outgoing);
  const response = await send(base, outgoing, headers, Number(request.query?.wait ?? 0));
  const body = await bodyOf(response, base, headers);
  if (!response.ok) throw await refusal(service.gate, outgoing, response, body);
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const where = parsed.error.issues[0]?.path.join('.') || 'the whole';
  throw new RefusedError(
    response.status,
    `Cannot read the answer of ${base} to ${method} ${path}: ${where} is not as this version knows it`,
  );
}

/** Fetches the bytes of a file, in pieces, and holds them against its hash. */
async function fetchFile(service: Service, path: string, { sha256, bytes }: FileRef): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let from = 0; from < bytes; from += (pieces.at(-1) as Buffer).length) pieces.push(await fetchPiece(service, path, from));
  const whole = Buffer.concat(pieces);
  if (createHash('sha256').update(whole).digest('hex') === sha256) return whole;
  throw new RefusedError(200, `Cannot use the answer of the service to GET ${path}: it is not the file with this hash`);
}

async function fetchPiece(service: Service, path: string, from: number): Promise<Buffer> {
  const base = await service.base();
  const outgoing = outgoingOf(base, 'GET', path, { headers: { range: `bytes=${from}-${from + MAX_PIECE_BYTES - 1}` } });
  const headers = await service.gate.admit(outgoing);
  const response = await send(base, outgoing, headers, 0);
  if (!response.ok) throw await refusal(service.gate, outgoing, response, await bodyOf(response, base, headers));
  const piece = await response.arrayBuffer().catch((error: unknown) => {
    throw unreachable(base, error);
  });
  if (piece.byteLength > 0) return Buffer.from(piece);
  throw new RefusedError(response.status, `Cannot read the answer of ${base} to GET ${path}: it is empty`);
}

const outgoingOf = (base: string, method: string, path: string, { body, headers = {}, query = {} }: Request): Outgoing => ({
  method,
  path,
  url: new URL(`${base}${path}${queryText(query)}`),
  headers: { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
  body: body === undefined ? undefined : JSON.stringify(body),
});

async function send(base: string, { method, url, body }: Outgoing, headers: Outgoing['headers'], wait: number): Promise<Response> {
  try {
    return await fetch(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      redirect: 'error',
      signal: AbortSignal.timeout((wait + PATIENCE_SECONDS) * 1000),
    });
  } catch (error) {
    throw unreachable(base, error);
  }
}

/** Percent-encoded, spaces too: a signature is made over the query, and a plus sign is read in two ways. */
function queryText(query: NonNullable<Request['query']>): string {
  const set = Object.entries(query).filter(([, value]) => value !== undefined);
  return set.length > 0 ? `?${set.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&')}` : '';
}

async function bodyOf(response: Response, base: string, sent: Outgoing['headers']): Promise<unknown> {
  const answer = await response.text().catch((error: unknown) => {
    throw unreachable(base, error);
  });
  const text = response.ok ? answer : SECRETS.reduce((shown, name) => hide(shown, sent[name]), answer);
  try {
    return JSON.parse(text);
  } catch {
    if (!response.ok) return undefined;
    throw new RefusedError(response.status, `Cannot read the answer of ${base}: it is no JSON, so this is hardly a Holdfast service`);
  }
}

/** Refusals may repeat what was sent; what lets requests in is not for the screen. */
const SECRETS = ['authorization', 'x-amz-security-token'];

const hide = (text: string, secret: string | undefined): string =>
  secret ? text.replaceAll(secret.replace(/^Bearer /, ''), '[hidden]') : text;

/** What stands before the service answers so while the service is busy or away: it may be there in a moment. */
const PASSING: readonly number[] = [429, 502, 503, 504];

async function refusal(gate: Gate, outgoing: Outgoing, { status, headers }: Response, body: unknown): Promise<Error> {
  const found = problem.safeParse(body);
  if (found.success) {
    const { title, detail, field } = found.data;
    return new RefusedError(status, `${detail || title}${field ? ` (field: ${field})` : ''}`, found.data);
  }
  const said = wordsOf(body);
  const what = `Cannot ${outgoing.method} ${outgoing.path}: the service answered ${status} ${said ? `"${said}"` : 'without saying why'}`;
  if (PASSING.includes(status)) return new UnreachableError(`${what}. Try again in a moment.`);
  if (status !== 401 && status !== 403) return new RefusedError(status, what);
  return new RefusedError(status, `${what}. ${await gate.advice(outgoing, { status, said, headers })}`);
}

/** What API Gateway says of a refusal: `message`, in either case. */
function wordsOf(body: unknown): string {
  const { message, Message } = (body ?? {}) as Record<string, unknown>;
  return cleanText(String(message ?? Message ?? '')).slice(0, 300);
}

function unreachable(base: string, error: unknown): UnreachableError {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const reason = error instanceof Error && error.name === 'TimeoutError' ? 'no answer in time' : wordFor(cause);
  const start = isLoopback(new URL(base)) ? 'Start it with "npm start", or name' : 'Name';
  return new UnreachableError(`Cannot reach the service at ${base}: ${reason}. ${start} another with --url, --stack or HOLDFAST_URL.`, {
    cause: error,
  });
}

function wordFor(cause: unknown): string {
  const { code, message } = cause as { code?: string; message?: string };
  if (code === 'ECONNREFUSED') return 'nobody listens there';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'there is no such host';
  return message || code || 'the connection broke';
}
