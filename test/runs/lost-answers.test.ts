import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { RunSummary } from '../../shared/api.ts';
import { type Lane, startLane } from '../crash/lane.ts';
import { apiClient } from '../support/api-client.ts';

let lane: Lane;
let api: ReturnType<typeof apiClient>;
beforeAll(async () => {
  lane = await startLane({ smallSegments: true });
  api = apiClient(lane.host.url);
});
afterAll(() => lane?.stop());

const OFF = () => false;

/** After an operation took effect its answer is lost, once; `kill` ends the process that made it, too. Returns what was seen. */
function lose(name: string, kill: boolean, nth = 1): { struck: boolean; seen: Set<string> } {
  const told = { struck: false, seen: new Set<string>() };
  let count = 0;
  lane.striker.pass = (operation, when) => {
    told.seen.add(operation.name);
    if (when !== 'after' || operation.name !== name || ++count !== nth) return false;
    told.struck = true;
    if (kill) process.kill(operation.pid, 'SIGKILL');
    return true;
  };
  return told;
}

/** As a client does: what fails with a 5xx is sent again, with the same key. */
async function post(path: string, body: unknown): Promise<void> {
  const headers = { 'idempotency-key': path };
  const { status } = await api.call('POST', path, body, headers);
  if (status >= 500) await api.call('POST', path, body, headers);
}

const play = (story: string) => api.start('story', { story });
const ended = (runId: string): Promise<RunSummary> => api.until(runId, 'completed', 'failed');

describe.each([{ kill: false }, { kill: true }])('the start of the next segment, its answer lost, process killed: $kill', ({ kill }) => {
  it('starts the segment of a run that continues', async () => {
    const told = lose('recover StartExecution', kill);
    const runId = await play('several segments');
    expect(await ended(runId)).toMatchObject({ status: 'completed' });
    expect(told.struck).toBe(true);
  });

  it('starts the segment of a run that a message opens again', async () => {
    lane.striker.pass = OFF;
    const runId = await play('a message after the end');
    await ended(runId);
    const told = lose('steer-run StartExecution', kill);
    await post(`/runs/${runId}/messages`, { text: 'And now?' });
    await expect.poll(async () => (await api.records(runId)).length, { timeout: 15_000 }).toBeGreaterThan(4);
    expect(await ended(runId)).toMatchObject({ status: 'completed' });
    expect(told.struck).toBe(true);
  });

  it('starts the segment of a run that is resumed', async () => {
    lane.striker.pass = OFF;
    const runId = await play('an approved write');
    await api.until(runId, 'waiting');
    const told = lose('steer-run StartExecution', kill);
    await post(`/runs/${runId}/resume`, {});
    await api.answer(await api.until(runId, 'waiting'), { decision: 'approve' });
    expect(await ended(runId)).toMatchObject({ status: 'completed' });
    expect(told.struck).toBe(true);
  });
});

it('sees the operations of every function: without their names a campaign strikes nothing', async () => {
  const { seen } = lose('nothing', false);
  await ended(await play('several segments'));
  for (const name of ['start-run PutItem', 'model-step UpdateItem', 'tool-step PutItem', 'recover StartExecution', 'world /apply'])
    expect(seen).toContain(name);
});

it('is woken by the sweep when its answer was recorded and the process died before it could wake it', async () => {
  const swept = await startLane({ sweeps: true });
  onTestFinished(() => swept.stop());
  const client = apiClient(swept.host.url);
  const runId = await client.start('story', { story: 'an approved write' });
  const waiting = await client.until(runId, 'waiting');
  let struck = false;
  swept.striker.pass = ({ name, pid }, when) => {
    if (struck || name !== 'answer SendTaskSuccess' || when !== 'before') return false;
    struck = process.kill(pid, 'SIGKILL');
    return true;
  };
  expect((await client.answer(waiting, { decision: 'approve' })).status).toBeGreaterThanOrEqual(500);
  expect(await client.until(runId, 'completed', 'failed')).toMatchObject({ status: 'completed' });
  expect(struck).toBe(true);
  expect(swept.world.applied).toHaveLength(1);
});

it('does not wait for an attempt whose death was reported at the end of a segment', async () => {
  for (let nth = 1; nth <= 3; nth++) {
    lane.striker.pass = OFF;
    const told = lose('world /apply', true, nth);
    const runId = await play('several segments');
    const waiting = await api.until(runId, 'waiting', 'completed');
    expect(told.struck).toBe(true);
    expect(waiting).toMatchObject({ status: 'waiting', reason: 'outcome-unknown: outcome-unknown' });
    expect(Date.now() - waiting.createdAt).toBeLessThan(20_000);
  }
}, 60_000);
