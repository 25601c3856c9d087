import type { z } from 'zod';
import {
  type AnswerRequest,
  answerResponse,
  listAgentsResponse,
  listAsksResponse,
  listRecordsResponse,
  listRunsResponse,
  messageResponse,
  noticeResponse,
  type Problem,
  problem,
  type StartRunRequest,
  startRunResponse,
  steerResponse,
} from '../shared/api.ts';

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

/** The HTTP API at an address, one function for each thing it can be asked. */
export function createClient(address: string) {
  const base = baseOf(address);
  const get = <S extends z.ZodType>(path: string, schema: S, query: Request['query'] = {}) => call(base, 'GET', path, schema, { query });
  const post = <S extends z.ZodType>(path: string, schema: S, body: unknown, headers = {}) =>
    call(base, 'POST', path, schema, { body, headers });
  const run = (runId: string) => `/runs/${encodeURIComponent(runId)}`;
  const ask = (askId: string) => `/asks/${encodeURIComponent(askId)}`;
  return {
    agents: () => get('/agents', listAgentsResponse),
    asks: () => get('/asks', listAsksResponse),
    runs: (query: Request['query']) => get('/runs', listRunsResponse, query),
    records: (runId: string, query: Request['query']) => get(`${run(runId)}/records`, listRecordsResponse, query),
    start: (request: StartRunRequest, key: string) => post('/runs', startRunResponse, request, { 'idempotency-key': key }),
    message: (runId: string, text: string) => post(`${run(runId)}/messages`, messageResponse, { text }),
    cancel: (runId: string, by: string) => post(`${run(runId)}/cancel`, steerResponse, { by }),
    resume: (runId: string, by: string) => post(`${run(runId)}/resume`, steerResponse, { by }),
    answer: (askId: string, request: AnswerRequest) => post(`${ask(askId)}/answer`, answerResponse, request),
    notify: (askId: string, to: string, by: string) => post(`${ask(askId)}/notices`, noticeResponse, { to, by }),
    revoke: (askId: string, to: string, by: string) => post(`${ask(askId)}/notices/revoke`, noticeResponse, { to, by }),
  };
}
export type Client = ReturnType<typeof createClient>;

function baseOf(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password)
    throw new TypeError('Cannot use this address of the service: say it as http://host:port or https://host, without a user name');
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

async function call<S extends z.ZodType>(base: string, method: string, path: string, schema: S, request: Request): Promise<z.infer<S>> {
  const response = await send(base, method, path, request);
  const body = await bodyOf(response, base);
  if (!response.ok) throw refusal(response.status, body, `${method} ${path}`);
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const where = parsed.error.issues[0]?.path.join('.') || 'the whole';
  throw new RefusedError(
    response.status,
    `Cannot read the answer of ${base} to ${method} ${path}: ${where} is not as this version knows it`,
  );
}

async function send(base: string, method: string, path: string, { body, headers = {}, query = {} }: Request): Promise<Response> {
  const wait = Number(query.wait ?? 0);
  try {
    return await fetch(`${base}${path}${queryText(query)}`, {
      method,
      headers: { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: 'error',
      signal: AbortSignal.timeout((wait + PATIENCE_SECONDS) * 1000),
    });
  } catch (error) {
    throw unreachable(base, error);
  }
}

function queryText(query: NonNullable<Request['query']>): string {
  const set = Object.entries(query).filter(([, value]) => value !== undefined);
  return set.length > 0 ? `?${new URLSearchParams(set.map(([name, value]) => [name, String(value)]))}` : '';
}

async function bodyOf(response: Response, base: string): Promise<unknown> {
  const text = await response.text().catch((error: unknown) => {
    throw unreachable(base, error);
  });
  try {
    return JSON.parse(text);
  } catch {
    if (!response.ok) return undefined;
    throw new RefusedError(response.status, `Cannot read the answer of ${base}: it is no JSON, so this is hardly a Holdfast service`);
  }
}

function refusal(status: number, body: unknown, asked: string): RefusedError {
  const found = problem.safeParse(body);
  if (!found.success) return new RefusedError(status, `Cannot ${asked}: the service answered ${status} without saying why`);
  const { title, detail, field } = found.data;
  return new RefusedError(status, `${detail || title}${field ? ` (field: ${field})` : ''}`, found.data);
}

function unreachable(base: string, error: unknown): UnreachableError {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const reason = error instanceof Error && error.name === 'TimeoutError' ? 'no answer in time' : wordFor(cause);
  return new UnreachableError(
    `Cannot reach the service at ${base}: ${reason}. Start it with "npm start", or name another with --url or HOLDFAST_URL.`,
    { cause: error },
  );
}

function wordFor(cause: unknown): string {
  const { code, message } = cause as { code?: string; message?: string };
  if (code === 'ECONNREFUSED') return 'nobody listens there';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'there is no such host';
  return message || code || 'the connection broke';
}
