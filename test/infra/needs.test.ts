import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Host, startHost } from '../../infra/local/host.ts';
import { FUNCTION_NAMES, NEEDS } from '../../infra/needs.ts';
import type { FunctionName } from '../../shared/functions.ts';
import { SMALL_EVENT_LIMIT } from '../crash/lane.ts';
import { drive, type Played, type SentMail } from '../runs/drive.ts';
import { expectWell } from '../runs/expect-well.ts';
import { type Faults, judge } from '../runs/judge.ts';
import { STORIES, type Story } from '../runs/stories.ts';
import { startWorld, type World } from '../runs/world.ts';
import { apiClient } from '../support/api-client.ts';
import { type CallRecorder, recordCalls } from '../support/call-recorder.ts';

/** What a role is given, in the words in which calls are recorded. */
function givenTo(name: FunctionName): string[] {
  const { runs, byStatus, idempotency = [], blobs = [], listsBlobs, states = [], linkKey, letters } = NEEDS[name];
  const calls = [...runs.map((call) => `${call} Runs`), ...idempotency.map((call) => `${call} Idempotency`), ...blobs, ...states];
  return [
    ...calls,
    ...(byStatus ? ['Query Runs/byStatus'] : []),
    ...(listsBlobs ? ['ListBucket'] : []),
    ...(linkKey ? ['GetSecretValue'] : []),
    ...(letters ? ['SendEmail'] : []),
  ].toSorted();
}

/** What is needed in cases that are not played here, and why. */
const UNPLAYED: Partial<Record<FunctionName, string[]>> = {
  // A lock of an attempt that is at work.
  'tool-step': ['GetItem Idempotency'],
  // An answer, or a large result, that was there before its ask was seen to wait.
  ask: ['SendTaskSuccess', 'PutObject'],
  // A log that cannot be read, one with large bodies, and the ask about code that is gone.
  recover: ['Query Runs', 'GetObject', 'PutItem Runs', 'PutObject'],
  // A run goes on under other code.
  answer: ['StartExecution'],
  // A start that was cut off a minute ago, notices that were not sent for a minute, and a large result that was not delivered.
  sweep: [
    'StartExecution',
    'PutItem Runs',
    'UpdateItem Runs',
    'GetSecretValue',
    'SendEmail',
    'PutObject',
    'DeleteItem Runs',
    'DeleteObject',
    'ListBucket',
  ],
  // One that was waiting for an overloaded model, large bodies, and items that need no fence.
  'erase-run': ['StartExecution', 'GetObject', 'DeleteObject', 'DeleteItem Runs'],
  // Parts that were taken.
  'import-run': ['DeleteObject'],
  // A message to a run that is erased at this moment.
  'steer-run': ['DeleteItem Runs'],
  // Mails that come back: nothing on this machine brings them.
  'mail-event': ['GetItem Runs', 'UpdateItem Runs', 'Query Runs', 'GetObject'],
  // The secrets of a call whose result comes from outside, and a run that goes on under other code.
  callback: ['GetSecretValue', 'StartExecution'],
  // A code for an ask of high risk, a run that goes on under other code, and what that is pinned to if it is large.
  'ask-page': ['SendEmail', 'StartExecution', 'PutObject'],
};

const SERVICES = {
  store: 'AWS_ENDPOINT_URL_DYNAMODB',
  stepFunctions: 'AWS_ENDPOINT_URL_SFN',
  secrets: 'AWS_ENDPOINT_URL_SECRETS_MANAGER',
  mail: 'AWS_ENDPOINT_URL_SESV2',
  blobs: 'AWS_ENDPOINT_URL_S3',
} as const;

/** The secrets of a run that ends without a step, since its code is gone: whoever finds that out removes them. */
const ENDERS: readonly FunctionName[] = ['answer', 'recover', 'steer-run', 'ask-page', 'callback', 'sweep'];

const called = new Map<string, Set<string>>(FUNCTION_NAMES.map((name) => [name, new Set()]));
const dataDir = mkdtempSync(join(tmpdir(), 'holdfast-needs-'));
const recorders: CallRecorder[] = [];

interface Play {
  readonly played: Played;
  readonly faults: Faults;
}
const plays = new Map<string, Play>();
let world: World;
let host: Host;

beforeAll(async () => {
  world = await startWorld();
  const environment: Record<string, string> = { WORLD_URL: world.url };
  for (const [service, variable] of Object.entries(SERVICES)) {
    const recorder = await recordCalls(
      () => host.endpoints[service as keyof typeof SERVICES],
      ({ name, call }) => called.get(name)?.add(call),
    );
    recorders.push(recorder);
    environment[variable] = recorder.url;
  }
  const agents = join(import.meta.dirname, 'needs-agents.ts');
  const start = () => startHost({ dataDir, port: 0, agents, environment, backoffMs: 10, sweepMs: 100, eventLimit: SMALL_EVENT_LIMIT });
  host = await start();
  await playAll();
  await restart(start);
});
afterAll(async () => {
  await host?.stop();
  await world?.close();
  for (const recorder of recorders) recorder.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** What does not fit into an item, however it is packed. */
const LARGE = randomBytes(120_000).toString('base64');

async function play(story: Story): Promise<Play> {
  world.applied.length = 0;
  const played = await drive({ url: host.url, world, mails }, story);
  return { played, faults: judge(story, played, world.applied, played) };
}

/** Runs of every kind, and everything that can be asked of them. */
async function playAll(): Promise<void> {
  for (const story of STORIES) plays.set(story.name, await play(story));
  const api = apiClient(host.url);
  for (const path of ['/runs', '/asks', '/agents']) await api.call('GET', path);
  for (let times = 0; times < 2; times++) await api.until(await api.start('payer', [[`pay_soon ${LARGE}`]], 'the same'), 'completed');
  await postResult(LARGE);
  await answerQuestion(LARGE);
  for (const way of [byLink, byInbox]) {
    const runId = await api.start('payer', [[`pay ${LARGE}`]], `of ${way.name}`);
    const { ask } = await api.until(runId, 'waiting');
    await api.call('POST', `/asks/${ask?.id}/notices`, { to: 'ada@example.test' });
    await api.call('POST', `/runs/${runId}/messages`, { text: LARGE });
    await approve(await way(runId, ask?.id ?? ''));
    await api.until(runId, 'completed');
    await api.call('DELETE', `/runs/${runId}`, {});
  }
  await exportAndImport(await api.start('payer', [['pay_soon a']]));
  const erased = await api.start('payer', [['pay a']]);
  await api.until(erased, 'waiting');
  await api.call('DELETE', `/runs/${erased}`, { cancel: true });
}

/** A run is read back where it is: it stays as it was. */
async function exportAndImport(runId: string): Promise<void> {
  const api = apiClient(host.url);
  await api.until(runId, 'completed');
  const { body } = await api.call<{ text: string }>('GET', `/runs/${runId}/export`);
  const [line = ''] = body.text.split('\n');
  const sent = await api.call<{ part: unknown }>('POST', `/runs/${runId}/import`, { part: Buffer.from(line).toString('base64') });
  expect((await api.call('POST', `/runs/${runId}/import`, { parts: [sent.body.part] })).status).toBe(409);
}

/** The result of a call is posted while its run waits for it. */
async function postResult(output: string): Promise<void> {
  const api = apiClient(host.url);
  const runId = await api.start('payer', [['order a']]);
  await api.until(runId, 'waiting');
  const ordered = world.applied.find(({ key }) => key.startsWith(runId));
  const response = await fetch(String(ordered?.input).split(' ').at(-1) ?? '', {
    method: 'POST',
    body: JSON.stringify({ output }),
  });
  expect(response.status).toBe(202);
  await api.until(runId, 'completed');
}

/** The answer to a question is given over the API. */
async function answerQuestion(output: string): Promise<void> {
  const api = apiClient(host.url);
  const runId = await api.start('payer', [['ask_user Which?']]);
  const run = await api.until(runId, 'waiting');
  // Said again, it is read first.
  for (let times = 0; times < 2; times++)
    expect((await api.answer(run, { answers: [{ index: 0, decision: 'result', output }] })).status).toBe(200);
  expect(await api.records(runId)).toContainEqual(expect.objectContaining({ type: 'answer' }));
  await api.until(runId, 'completed');
}

async function mails(): Promise<SentMail[]> {
  const folder = join(dataDir, 'outbox');
  return readdirSync(folder).flatMap((name) => (name.endsWith('.json') ? [JSON.parse(readFileSync(join(folder, name), 'utf8'))] : []));
}

function byLink(runId: string): Promise<URL> {
  const mine = async () => {
    const links = (await mails()).flatMap(({ text }) => text.match(/https?:\/\/\S+/g) ?? []);
    return new URL(links.find((link) => link.includes(`/a/${runId}`)) ?? '');
  };
  return vi.waitFor(mine, { timeout: 20_000 });
}

async function byInbox(_: string, askId: string): Promise<URL> {
  await fetch(`${host.url}/inbox`);
  return new URL(`${host.url}/inbox/${askId}`);
}

async function approve(page: URL): Promise<void> {
  const html = await (await fetch(page)).text();
  const fields = [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [
    name,
    value,
  ]);
  const body = new URLSearchParams([...fields, ['by', 'Ada'], ['decision.0', 'approve']]);
  expect((await fetch(new URL(page.pathname, page), { method: 'POST', body, redirect: 'manual' })).status).toBe(303);
}

/** A host that starts again gives an unfinished run its next segment. */
async function restart(start: () => Promise<Host>): Promise<void> {
  const api = apiClient(host.url);
  const runId = await api.start('payer', [['pay a']]);
  await api.until(runId, 'waiting');
  await host.stop();
  host = await start();
  await host.recovered;
  const again = apiClient(host.url);
  await again.call('POST', `/runs/${runId}/resume`, {});
  await again.call('POST', `/runs/${runId}/cancel`, {});
  await again.until(runId, 'cancelled');
}

describe('in segments of a few turns', () => {
  it.each(STORIES.map((story) => [story.name, story] as const))('%s', (name, story) => {
    const { played, faults } = plays.get(name) as Play;
    expectWell(story, played, faults);
    if (name !== 'several segments') return;
    expect(played.run.segment).toBeGreaterThan(1);
    // A step that only ended a segment has tried nothing.
    expect(played.records.flatMap((record) => (record.type === 'reply' ? [record.attempts] : []))).not.toContain(2);
  });
});

describe.each(FUNCTION_NAMES)('%s', (name) => {
  it('calls nothing that its role does not allow', () => {
    expect([...(called.get(name) ?? [])].filter((call) => !givenTo(name).includes(call))).toEqual([]);
  });

  it('is allowed nothing that it does not call', () => {
    const unplayed = [...(UNPLAYED[name] ?? []), ...(ENDERS.includes(name) ? ['DeleteItem Runs'] : [])];
    expect(givenTo(name).filter((call) => !called.get(name)?.has(call) && !unplayed.includes(call))).toEqual([]);
  });
});
