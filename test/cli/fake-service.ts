import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  answerRequest,
  budgetRequest,
  forkRequest,
  listAgentsResponse,
  listAsksResponse,
  listRecordsQuery,
  listRecordsResponse,
  listRunsResponse,
  listSummariesResponse,
  messageRequest,
  type NoticeSummary,
  noticeRequest,
  type Problem,
  type RunSummary,
  restartRequest,
  startRunRequest,
  steerRequest,
} from '../../shared/api.ts';
import { type RunRecord, runRecord } from '../../shared/record.ts';

/** What the fake service knows of a run; a test changes it as the run would change. */
export interface FakeRun {
  summary: RunSummary;
  records: RunRecord[];
}

/** A service that holds the HTTP API's schemas and nothing else. */
export interface FakeService {
  readonly url: string;
  readonly runs: FakeRun[];
  /** What was asked, in order. */
  readonly requests: { method: string; path: string; query: Record<string, string>; body: unknown; key: string | undefined }[];
  /** Answers the next request of this kind instead of the service. */
  readonly instead: Map<string, (response: ServerResponse) => void>;
  readonly close: () => Promise<void>;
}

/** Starts a fake service on a free port of the loopback interface. */
export async function startFakeService(runs: FakeRun[] = [], port = 0): Promise<FakeService> {
  const service = { runs, requests: [] as FakeService['requests'], instead: new Map<string, (response: ServerResponse) => void>() };
  const server = createServer((request, response) => void handle(service, request, response));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return { ...service, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => close(server) };
}

const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

type Inner = Pick<FakeService, 'runs' | 'requests' | 'instead'>;

async function handle(service: Inner, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const sent = await text(request);
  const asked = {
    method: request.method ?? '',
    path: decodeURIComponent(url.pathname),
    query: Object.fromEntries(url.searchParams),
    body: sent ? JSON.parse(sent) : undefined,
    key: request.headers['idempotency-key']?.toString(),
  };
  service.requests.push(asked);
  const instead = service.instead.get(`${asked.method} ${asked.path}`);
  service.instead.delete(`${asked.method} ${asked.path}`);
  if (instead) return instead(response);
  try {
    await route(service, asked, response);
  } catch (error) {
    refuse(response, 400, `the fake service was used wrongly: ${error}`);
  }
}

/** Sends a problem as the service does. */
export function refuse(response: ServerResponse, status: number, detail: string, field?: string): void {
  const problem: Problem = { type: 'about:blank', title: 'Problem', status, detail, ...(field ? { field } : {}) };
  response.writeHead(status, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem));
}

const send = (response: ServerResponse, body: unknown, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

async function route(
  { runs }: Inner,
  { method, path, query, body }: FakeService['requests'][number],
  response: ServerResponse,
): Promise<unknown> {
  const [, things, id, part] = path.split('/');
  const run = runs.find((one) => one.summary.runId === (things === 'asks' ? id?.slice(0, 26) : id));
  const where = `${method} ${things}${part ? `/${part}` : ''}`;
  if (where === 'GET agents') return send(response, listAgentsResponse.parse({ agents: AGENTS }));
  if (where === 'GET asks') return send(response, askPageOf(runs, query));
  if (where === 'GET runs' && !id) return send(response, pageOf(runs, query));
  if (where === 'POST runs' && !id) return startRun(runs, startRunRequest.parse(body), response);
  if (!run) return refuse(response, 404, `There is no run "${id}"`);
  if (where === 'GET runs/records') return records(run, listRecordsQuery.parse(query), response);
  if (where === 'GET runs/summaries') return send(response, listSummariesResponse.parse({ run: run.summary, summaries: SUMMARIES }));
  if (where === 'POST runs/summaries')
    return send(response, { run: run.summary, summary: { ...SUMMARIES[1], discarded: { by: steerRequest.parse(body).by, at: 0 } } }, 202);
  if (where === 'POST runs/messages') return send(response, { runId: id, messageId: `m-${messageRequest.parse(body).text.length}` }, 202);
  if (where === 'POST runs/budget')
    return send(response, { runId: id, messageId: `m-${Object.keys(budgetRequest.parse(body).raise)}` }, 202);
  if (where === 'POST runs/cancel' || where === 'POST runs/resume')
    return send(response, { run: run.summary, by: steerRequest.parse(body) });
  if (where === 'POST runs/restart' || where === 'POST runs/fork')
    return send(response, { run: branchOf(run.summary, (where === 'POST runs/fork' ? forkRequest : restartRequest).parse(body)) }, 202);
  if (where === 'POST asks/answer') return send(response, { run: run.summary, record: answerRecord(run, answerRequest.parse(body)) });
  if (where === 'POST asks/notices')
    return send(
      response,
      { notice: { ...NOTICES[0], recipient: noticeRequest.parse(body).to, again: { by: 'kim', at: Date.now() } } },
      202,
    );
  return refuse(response, 404, `There is no ${path}`);
}

const branchOf = (run: RunSummary, { at, by = 'the API' }: { at?: number; by?: string | undefined }): RunSummary => ({
  ...run,
  runId: '01JZ00000000000000000000BR',
  parent: { runId: run.runId, by, ...(at === undefined ? { kind: 'restart' } : { kind: 'fork', at }) },
});

/** A page of the runs in a status; `before` is how many came before it. */
function pageOf(runs: readonly FakeRun[], { status, limit = '20', before = '0' }: Record<string, string>) {
  const all = runs.map((one) => one.summary).filter((one) => status === undefined || one.status === status);
  const start = Number.parseInt(before, 10) || 0;
  const end = start + Number(limit);
  return listRunsResponse.parse({ runs: all.slice(start, end), ...(end < all.length ? { next: String(end) } : {}) });
}

const NOTICES: NoticeSummary[] = [
  { recipient: 'ada@example.test', state: 'sent', sentAt: Date.now() - 5_000 },
  { recipient: 'bob@example.test', state: 'failed', error: 'No such \u001b[2Juser', nextTryAt: Date.now() + 90_000 },
  { recipient: 'cyd@example.test', state: 'failed', error: 'bounced: gone' },
  { recipient: 'webhook:ops', state: 'revoked', revoked: { by: 'kim', at: Date.now() - 60_000 } },
  { recipient: 'dan@example.test', state: 'pending' },
];

const AGENTS = [
  { name: 'desk', description: 'Answers', model: 'scripted/desk', tools: [{ name: 'look', description: 'Looks', effect: 'read' }] },
];

function askPageOf(runs: readonly FakeRun[], { limit, before }: Record<string, string>) {
  const left = asksOf(runs).filter(({ runId }) => before === undefined || runId < before);
  const asks = left.slice(0, limit === undefined ? 1000 : Number(limit));
  return listAsksResponse.parse({ asks, ...(asks.length < left.length ? { next: asks.at(-1)?.runId } : {}) });
}

const asksOf = (runs: readonly FakeRun[]) =>
  runs.flatMap(({ summary, records }) => {
    const ask = records.find((record) => record.type === 'ask' && summary.ask?.id.endsWith(`-${record.seq}`));
    return ask ? [{ id: summary.ask?.id, runId: summary.runId, agent: summary.agent, ask, notices: NOTICES }] : [];
  });

function startRun(runs: readonly FakeRun[], { agent }: { agent: string }, response: ServerResponse): unknown {
  const run = runs.find((one) => one.summary.agent === agent);
  if (!run) return refuse(response, 404, `There is no agent "${agent}"`, 'agent');
  return send(response, { runId: run.summary.runId, status: run.summary.status }, 202);
}

/** Long poll: looks again every few milliseconds, at most a second. */
async function records(
  run: FakeRun,
  { after, limit, wait }: { after: number; limit: number; wait: number },
  response: ServerResponse,
): Promise<void> {
  const until = Date.now() + Math.min(wait, 1) * 1000;
  const newer = () => run.records.filter((record) => record.seq > after).slice(0, limit);
  while (newer().length === 0 && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 5));
  send(response, listRecordsResponse.parse({ run: run.summary, records: newer() }));
}

const answerRecord = (run: FakeRun, { by = 'nobody', decision, answers }: ReturnType<typeof answerRequest.parse>): RunRecord =>
  runRecord.parse({
    v: 1,
    seq: run.records.length + 1,
    at: 9,
    type: 'answer',
    via: 'API',
    ask: run.records.length,
    by,
    answers: answers ?? [{ decision }],
  });

const summaryUpTo = (seq: number, current: boolean) => ({
  seq,
  version: 1,
  at: Date.now() - 60_000,
  after: 1,
  text: `What was done up to ${seq}.\nAnd more.\u001b[31m`,
  facts: 'Your plan, as you set it last:\n[ ] pay',
  model: 'scripted/desk',
  usage: { inputTokens: 900, outputTokens: 80 },
  ms: 5,
  attempts: 1,
  tokens: 60,
  replacedTokens: 700,
  current,
});

const SUMMARIES = [{ ...summaryUpTo(9, false), discarded: { by: 'kim', at: 1 } }, summaryUpTo(21, true)];
