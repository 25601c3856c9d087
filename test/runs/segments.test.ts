import { SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DUMMY_CREDENTIALS, REGION } from '../../infra/local/names.ts';
import type { ShownSummary } from '../../shared/api.ts';
import { segmentInput, segmentName } from '../../shared/machine.ts';
import { createStriker, strikeProxy } from '../crash/striker.ts';
import { type Machine, startMachine } from '../support/machine.ts';
import { chatCall, chatCompletion } from '../support/provider-server/answers.ts';
import { type Played, type ProviderServer, type RecordedRequest, startProviderServer } from '../support/provider-server.ts';

const AGENTS = new URL('./segment-agents.ts', import.meta.url);
const TURNS = 6;

/** Requests by model, and those that are held back until a test lets them go. */
const requests = new Map<string, number>();
const held = new Map<string, () => void>();

/** A model that is asked twice for the same says something else the second time. */
async function answer({ body }: RecordedRequest): Promise<Played> {
  const model = String(body.model);
  const count = (requests.get(model) ?? 0) + 1;
  requests.set(model, count);
  const turn = body.messages.filter(({ role }: { role: string }) => role === 'tool').length;
  if (isHeld(model, turn, body.tools === undefined)) await new Promise<void>((resolve) => held.set(model, resolve));
  if (!body.tools) return { body: uncounted({ content: `Summary of request ${count}.` }) };
  if (turn >= TURNS || count > 20) return { body: uncounted({ content: `Done at request ${count}.` }) };
  return {
    body: uncounted({ tool_calls: [chatCall('t', 'pay', JSON.stringify({ item: `${count} ${filling(model)}` }))] }, 'tool_calls'),
  };
}

/** Without a count of its own the view is estimated. */
const uncounted = (...said: Parameters<typeof chatCompletion>) => ({ ...chatCompletion(...said), usage: null });

const filling = (model: string) => (model === 'summing-up' ? 'of a long bill '.repeat(60) : '');

const isHeld = (model: string, turn: number, summary: boolean): boolean => {
  if (held.has(model)) return false;
  return model === 'summing-up' ? summary : ['replying', 'taken'].includes(model) && turn === 2;
};

let provider: ProviderServer;
let machine: Machine;
const striker = createStriker();
const strikes = striker.pass;
let proxy: Awaited<ReturnType<typeof strikeProxy>>;
beforeAll(async () => {
  provider = await startProviderServer(answer);
  proxy = await strikeProxy(() => machine.host.endpoints.stepFunctions, striker);
  const environment = {
    OPENAI_COMPATIBLE_BASE_URL: `${provider.url}/v1`,
    OPENAI_COMPATIBLE_API_KEY: 'k',
    AWS_ENDPOINT_URL_SFN: proxy.url,
  };
  machine = await startMachine(AGENTS, { environment, eventLimit: 45 });
});
afterAll(async () => {
  await machine?.stop();
  proxy?.close();
  await provider?.close();
});

const paid = (runId: string) => machine.world.applied.filter(({ key }) => key.startsWith(runId)).map(({ key }) => key);
const executionsOf = (runId: string) => machine.host.info().executions.filter(({ name }) => name.startsWith(runId));
const isClosed = (runId: string, segment: number) =>
  expect
    .poll(() => executionsOf(runId).find(({ name }) => name === segmentName(runId, segment))?.status, { timeout: 20_000 })
    .toBe('SUCCEEDED');
const ended = (runId: string) => machine.api.until(runId, 'completed', 'failed', 'waiting');

/** A run whose model is being asked something, and is given another segment meanwhile. */
async function overtaken(agent: string): Promise<{ runId: string; old: number }> {
  const { api } = machine;
  const runId = await api.start(agent, 'go');
  await expect.poll(() => held.has(agent), { timeout: 20_000 }).toBe(true);
  const old = (await api.show(runId)).segment;
  expect((await api.call('POST', `/runs/${runId}/resume`, {})).status).toBe(202);
  return { runId, old };
}

describe('a segment that is still alive when the next has begun', () => {
  it('stops without a record when its model answers at last: what the next one has written stands', async () => {
    const { api } = machine;
    const { runId, old } = await overtaken('replying');
    expect(await ended(runId)).toMatchObject({ status: 'completed' });
    const before = [await api.records(runId), await api.show(runId), paid(runId)];
    held.get('replying')?.();
    await isClosed(runId, old);
    expect([await api.records(runId), await api.show(runId), paid(runId)]).toEqual(before);
    expect(new Set(paid(runId)).size).toBe(paid(runId).length);
  });

  it('stops without a summary when that comes at last: the one of the next stands', async () => {
    const { api } = machine;
    const summaries = async (runId: string) =>
      (await api.call<{ summaries: ShownSummary[] }>('GET', `/runs/${runId}/summaries`)).body.summaries;
    const { runId, old } = await overtaken('summing-up');
    expect(await ended(runId)).toMatchObject({ status: 'completed' });
    const before = [await api.records(runId), await api.show(runId), await summaries(runId)];
    expect(await summaries(runId)).not.toEqual([]);
    held.get('summing-up')?.();
    await isClosed(runId, old);
    expect([await api.records(runId), await api.show(runId), await summaries(runId)]).toEqual(before);
  });
});

describe('the name of a segment', () => {
  it('that is taken is passed over: the run goes on in the one after it', async () => {
    const { api, host } = machine;
    const runId = await api.start('taken', 'go');
    await expect.poll(() => held.has('taken'), { timeout: 20_000 }).toBe(true);
    const { segment } = await api.show(runId);
    const client = new SFNClient({ endpoint: host.endpoints.stepFunctions, region: REGION, credentials: DUMMY_CREDENTIALS });
    const { pin } = (await api.call<{ pin: { machine: string } }>('GET', `/runs/${runId}/pin`)).body;
    const input = JSON.stringify(segmentInput('01ARZ3NDEKTSV4RRFFQ69G5FAV', 1));
    await client.send(new StartExecutionCommand({ stateMachineArn: pin.machine, name: segmentName(runId, segment + 1), input }));
    expect((await api.call('POST', `/runs/${runId}/resume`, {})).status).toBe(202);
    await expect.poll(async () => (await api.show(runId)).segment, { timeout: 20_000 }).toBeGreaterThan(segment + 1);
    held.get('taken')?.();
    expect(await ended(runId)).toMatchObject({ status: 'completed', totals: { turns: TURNS + 1 } });
    expect(new Set(paid(runId)).size).toBe(TURNS);
  });
});

describe('a host that is stopped while a run continues', () => {
  it.each(['before', 'after'] as const)(
    '%s the next segment is started: the next host starts it, and nothing is done twice',
    async (when) => {
      let struck = 0;
      striker.pass = ({ name, pid }, at) => {
        if (at !== when || name !== 'recover StartExecution') return false;
        struck++;
        process.kill(pid, 'SIGKILL');
        return true;
      };
      const runId = await machine.api.start(`stopped-${when}`, 'go');
      await expect.poll(() => struck, { timeout: 20_000, interval: 1 }).toBeGreaterThan(0);
      const first = executionsOf(runId).map(({ name }) => name);
      await machine.restart();
      striker.pass = strikes;
      await machine.host.recovered;
      expect(first).toContain(segmentName(runId, 1));
      const run = await ended(runId);
      expect(run).toMatchObject({ status: 'completed', totals: { turns: TURNS + 1 } });
      expect(run.segment).toBeGreaterThan(1);
      expect((await machine.api.records(runId)).map(({ seq }) => seq)).toEqual(Array.from({ length: 2 * TURNS + 3 }, (_, i) => i + 1));
      expect(paid(runId)).toHaveLength(TURNS);
    },
  );
});
