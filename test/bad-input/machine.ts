import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, DynamoDBDocumentClient, GetCommand, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect } from 'vitest';
import { type Host, startHost } from '../../infra/local/host.ts';
import { DUMMY_CREDENTIALS, REGION, TABLES } from '../../infra/local/names.ts';
import { type Problem, problem, type RunSummary, runSummary } from '../../shared/api.ts';
import type { FunctionName } from '../../shared/functions.ts';
import { type RunRecord, runRecord } from '../../shared/record.ts';
import { runKey } from '../../shared/tables.ts';
import { startWorld, type World } from '../runs/world.ts';

/** A request as it goes over the wire: nothing is checked or put right on the way. */
export interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly body?: string | Uint8Array | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

export type Item = Record<string, unknown>;

/** A machine that can be sent anything, and whose tables can be looked into. */
export interface Machine {
  readonly host: Host;
  readonly world: World;
  send(sent: Sent): Promise<Received>;
  /** Sends JSON and returns what came back with a 2xx. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Record<string, unknown>>;
  start(agent: string, input?: unknown): Promise<string>;
  show(runId: string): Promise<RunSummary>;
  records(runId: string): Promise<RunRecord[]>;
  /** Waits until the run is in one of these statuses, by default one in which it does nothing by itself. */
  settled(runId: string, statuses?: readonly string[]): Promise<RunSummary>;
  /** A line for every item of the run table, by which any change shows. */
  everything(): Promise<string[]>;
  item(runId: string, sk: string): Promise<Item | undefined>;
  put(item: Item): Promise<void>;
  remove(item: Item): Promise<void>;
  /** Ends all processes of functions: what they remember of logs is gone. */
  forget(...names: FunctionName[]): Promise<void>;
  stop(): Promise<void>;
}

const QUIET = ['waiting', 'interrupted', 'completed', 'failed', 'cancelled'];
/** A run that takes longer than this is stuck, ms. */
const PATIENCE_MS = 90_000;

/** Starts a machine with the agents of a file beside this one. */
export async function startMachine(agents: string): Promise<Machine> {
  const dataDir = mkdtempSync(join(tmpdir(), 'holdfast-bad-input-'));
  const world = await startWorld();
  const environment = { WORLD_URL: world.url };
  const host = await startHost({ dataDir, agents: join(import.meta.dirname, agents), environment, backoffMs: 5, workersPerFunction: 2 });
  const client = new DynamoDBClient({ endpoint: host.endpoints.store, region: REGION, credentials: DUMMY_CREDENTIALS });
  const stop = async () => {
    client.destroy();
    await host.stop();
    await world.close();
    rmSync(dataDir, { recursive: true, force: true });
  };
  const send = (sent: Sent) => sendRaw(host.url, sent);
  return { host, world, send, ...clientOf(send), ...tablesOf(client), forget: (...names) => forget(host, names), stop };
}

function sendRaw(url: string, { method = 'GET', path, body, headers = {} }: Sent): Promise<Received> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
    const sent = request({ hostname, port, method, path, headers: { ...type, ...headers }, agent: false }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString() });
    });
    sent.once('error', reject).end(body);
  });
}

function clientOf(send: Machine['send']) {
  const json = async (sent: Sent): Promise<Record<string, unknown>> => {
    const { status, text } = await send(sent);
    if (status >= 300) throw new Error(`${sent.method ?? 'GET'} ${sent.path} answered ${status}: ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  };
  const post: Machine['post'] = (path, body, headers) => json({ method: 'POST', path, body: JSON.stringify(body), headers });
  const show = async (runId: string) => runSummary.parse(await json({ path: `/runs/${runId}` }));
  return {
    post,
    show,
    start: async (agent: string, input: unknown = null) => (await post('/runs', { agent, input })).runId as string,
    async records(runId: string) {
      const all: RunRecord[] = [];
      for (;;) {
        const { records } = await json({ path: `/runs/${runId}/records?after=${all.length}` });
        if ((records as unknown[]).length === 0) return all;
        all.push(...runRecord.array().parse(records));
      }
    },
    async settled(runId: string, statuses: readonly string[] = QUIET) {
      for (const end = Date.now() + PATIENCE_MS; ; ) {
        const run = await show(runId);
        if (statuses.includes(run.status)) return run;
        if (Date.now() > end) throw new Error(`Run "${runId}" is stuck: ${JSON.stringify(run)}`);
        await setTimeout(20);
      }
    },
  };
}

function tablesOf(client: DynamoDBClient) {
  const documents = DynamoDBDocumentClient.from(client);
  const TableName = TABLES.runs;
  return {
    async everything() {
      const { Items = [] } = await documents.send(new ScanCommand({ TableName, ConsistentRead: true }));
      return Items.map((item) => `${item.pk} ${item.sk} ${hashOf(item)}`).sort();
    },
    item: async (runId: string, sk: string) =>
      (await documents.send(new GetCommand({ TableName, Key: { pk: runKey(runId), sk }, ConsistentRead: true }))).Item,
    put: async (Item: Item) => void (await documents.send(new PutCommand({ TableName, Item }))),
    remove: async ({ pk, sk }: Item) => void (await documents.send(new DeleteCommand({ TableName, Key: { pk, sk } }))),
  };
}

const hashOf = (item: Item): string => {
  const text = JSON.stringify(item, (_, value) => (value instanceof Set ? [...value].sort() : value));
  return createHash('sha256').update(text).digest('hex');
};

async function forget(host: Host, names: readonly FunctionName[]): Promise<void> {
  const before = names.flatMap((name) => host.info().workers[name]);
  for (const pid of before) process.kill(pid, 'SIGKILL');
  while (names.some((name) => host.info().workers[name].some((pid) => before.includes(pid)))) await setTimeout(5);
}

/** What a request that is refused is told. */
export interface Refusal {
  readonly status: number;
  readonly field?: string;
  readonly detail?: RegExp;
}

/** Checks a refusal: a problem by its schema, with the field to blame, and nothing else. */
export function expectRefusal(received: Received, { status, field, detail }: Refusal): Problem {
  expect({ status: received.status, type: received.headers['content-type'], text: received.text }).toMatchObject({
    status,
    type: 'application/problem+json',
  });
  const told = problem.parse(JSON.parse(received.text));
  expect({ status: told.status, field: told.field }).toEqual({ status, field });
  expect(received.text.length).toBeLessThan(3_000);
  if (detail) expect(told.detail).toMatch(detail);
  return told;
}
