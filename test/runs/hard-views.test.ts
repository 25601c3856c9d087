import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunSummary, ShownSummary } from '../../shared/api.ts';
import { askIn, resultsIn } from '../support/api-client.ts';
import { type Machine, startMachine } from '../support/machine.ts';
import { chatCall, chatCompletion } from '../support/provider-server/answers.ts';
import { type Played, type ProviderServer, type RecordedRequest, startProviderServer } from '../support/provider-server.ts';

const AGENTS = new URL('./hard-view-agents.ts', import.meta.url);
const TURNS = 24;

/** What was asked of one model, a summary or a reply, in order. */
const asked = new Map<string, ('summary' | 'reply')[]>();
const countOf = (model: string, kind: 'summary' | 'reply') => (asked.get(model) ?? []).filter((each) => each === kind).length;

/** The provider: it knows a model's turn by how often that was asked for a reply it could give. */
async function answer({ body }: RecordedRequest): Promise<Played> {
  const model = String(body.model);
  const kind = body.tools ? 'reply' : 'summary';
  asked.set(model, [...(asked.get(model) ?? []), kind]);
  const fault = await faultOf(model, kind, JSON.stringify(body.messages).length);
  if (fault) {
    asked.get(model)?.pop();
    return fault;
  }
  return { body: { ...said(model, kind), ...countedBy(model, JSON.stringify(body).length) } };
}

function said(model: string, kind: 'summary' | 'reply') {
  if (kind === 'summary') return chatCompletion({ content: `Summary ${countOf(model, 'summary')}.` });
  const turn = countOf(model, 'reply');
  if (turn >= TURNS) return chatCompletion({ content: 'Done.' });
  const call = (i: number, tool: string) => chatCall(`t${i}`, tool, JSON.stringify({ item: `${turn}.${i}` }));
  const calls =
    turn === 2
      ? [call(0, 'pay')]
      : turn === 4 && model === 'dumping'
        ? [0, 1, 2, 3, 4, 5].map((i) => call(i, 'dump'))
        : [call(0, 'look_up')];
  return chatCompletion({ tool_calls: calls }, 'tool_calls');
}

/** What the provider counts: nothing, 0, or a hundred times as much as there is. */
function countedBy(model: string, characters: number): object {
  if (model === 'uncounted') return { usage: null };
  const tokens = model === 'counted-0' ? 0 : Math.ceil(characters / 4) * (model === 'counted-100' ? 100 : 1);
  return { usage: { prompt_tokens: tokens, completion_tokens: tokens === 0 ? 0 : 20, total_tokens: tokens } };
}

/** Characters that the strict models take. */
const WINDOW = 12_000;
const refusal = (status: number, message: string, code: string | null = null) => ({
  status,
  body: { error: { message, type: 'error', code } },
});

/** Set when the summary under way may be answered. */
let release: () => void;
const released = new Promise<void>((resolve) => {
  release = resolve;
});
const refused = new Set<string>();

async function faultOf(model: string, kind: 'summary' | 'reply', characters: number): Promise<Played | undefined> {
  if (model === 'dumping' && characters > WINDOW) return refusal(400, 'prompt is too long', 'context_length_exceeded');
  if (model === 'windowless' && countOf(model, 'reply') > 4) return refusal(400, 'prompt is too long', 'context_length_exceeded');
  if (kind === 'reply') return undefined;
  if (model === 'slow') await released;
  if (model === 'waiting') return { ...refusal(529, 'Overloaded'), headers: { 'retry-after': '900' } };
  if (model === 'gone-for-good') return refusal(404, 'no such model', 'model_not_found');
  if (refused.has(model)) return undefined;
  refused.add(model);
  if (model === 'gone') return refusal(404, 'no such model', 'model_not_found');
  return model === 'expired' ? refusal(401, 'the key has expired') : undefined;
}

let provider: ProviderServer;
let machine: Machine;
beforeAll(async () => {
  provider = await startProviderServer(answer);
  machine = await startMachine(AGENTS, {
    environment: { OPENAI_COMPATIBLE_BASE_URL: `${provider.url}/v1`, OPENAI_COMPATIBLE_API_KEY: 'k' },
  });
});
afterAll(async () => {
  await machine?.stop();
  await provider?.close();
});

const summariesOf = async (runId: string) =>
  (await machine.api.call<{ summaries: ShownSummary[] }>('GET', `/runs/${runId}/summaries`)).body.summaries;
const paid = (runId: string) => machine.world.applied.filter(({ key }) => key.startsWith(runId)).length;
const asksOf = async (runId: string) =>
  (await machine.api.records(runId)).flatMap((record) => (record.type === 'ask' ? [`${record.kind}: ${record.reason}`] : []));
const stopped = (runId: string) => machine.api.until(runId, 'completed', 'failed', 'waiting', 'cancelled');

async function completed(runId: string): Promise<RunSummary> {
  const run = await stopped(runId);
  expect(run).toMatchObject({ status: 'completed', reason: 'final-reply', totals: { turns: TURNS } });
  expect(paid(runId)).toBe(1);
  return run;
}

describe('a run that is cancelled', () => {
  it('while its summary is made: ends as cancelled once that has come, and asks its model for nothing more', async () => {
    const { api } = machine;
    const runId = await api.start('slow', 'go');
    await expect.poll(() => countOf('slow', 'summary'), { timeout: 30_000 }).toBe(1);
    const replies = countOf('slow', 'reply');
    expect(await api.call('POST', `/runs/${runId}/cancel`, { by: 'Ann' })).toMatchObject({
      status: 202,
      body: { run: { cancelling: true } },
    });
    release();
    expect(await stopped(runId)).toMatchObject({ status: 'cancelled', reason: 'cancelled' });
    expect([countOf('slow', 'reply'), countOf('slow', 'summary'), paid(runId)]).toEqual([replies, 1, 1]);
    const [summary] = await summariesOf(runId);
    expect((await api.show(runId)).totals.outputTokens).toBe((replies + (summary ? 1 : 0)) * 20);
  });

  it('while its summary is waited for: ends at once', async () => {
    const { api } = machine;
    const runId = await api.start('waiting', 'go');
    await expect.poll(async () => (await api.show(runId)).reason, { timeout: 30_000 }).toMatch(/^overloaded: .* 529/);
    await api.call('POST', `/runs/${runId}/cancel`, { by: 'Ann' });
    expect(await stopped(runId)).toMatchObject({ status: 'cancelled', reason: 'cancelled' });
    expect(await summariesOf(runId)).toEqual([]);
  });
});

describe('a model that cannot be asked for a summary', () => {
  it('is gone: a person is asked once, and the summary is made on their word', async () => {
    const { api } = machine;
    const runId = await api.start('gone', 'go');
    const run = await stopped(runId);
    expect(run).toMatchObject({ status: 'waiting', reason: 'restart: model-not-found' });
    expect(await summariesOf(runId)).toEqual([]);
    await api.answer(run, { decision: 'retry', by: 'Ada' });
    await completed(runId);
    expect(await asksOf(runId)).toEqual(['restart: model-not-found']);
  });

  it('is gone for good: another that a person names makes the summary, and goes on', async () => {
    const { api } = machine;
    const runId = await api.start('gone-for-good', 'go');
    const run = await stopped(runId);
    const turns = run.totals.turns;
    asked.set(
      'counted-1',
      Array.from({ length: turns }, () => 'reply'),
    );
    await api.answer(run, { decision: 'repin', by: 'Ada', model: 'openai-compatible/counted-1' });
    await completed(runId);
    const models = (await summariesOf(runId)).map(({ model }) => model);
    expect(new Set(models)).toEqual(new Set(['openai-compatible/counted-1']));
    expect(await asksOf(runId)).toEqual(['restart: model-not-found']);
  });

  it('refuses the key: a person is asked once, and the run goes on when they have replaced it', async () => {
    const { api } = machine;
    const runId = await api.start('expired', 'go');
    const run = await stopped(runId);
    expect(run).toMatchObject({ status: 'waiting', reason: 'escalation: authentication' });
    expect(askIn(await api.records(runId)).questions[0]?.text).toMatch(/replace it/);
    await api.answer(run, { decision: 'retry', by: 'Ada' });
    await completed(runId);
    expect(await asksOf(runId)).toEqual(['escalation: authentication']);
  });
});

describe('a view that is larger than the window', () => {
  it('by the outputs of one reply: they are clipped together, kept whole, and the run goes on', async () => {
    const { api } = machine;
    const runId = await api.start('dumping', 'go');
    await completed(runId);
    const dumps = resultsIn(await api.records(runId)).filter(({ output }) => String(output).length > 60_000);
    expect(dumps.map(({ output }) => String(output).slice(-10))).toEqual([0, 1, 2, 3, 4, 5].map((i) => `end of 4.${i}`));
  });

  it('whatever is left out: a person is asked, after one summary', async () => {
    const { api } = machine;
    const runId = await api.start('windowless', 'go');
    const run = await stopped(runId);
    expect(run).toMatchObject({ status: 'waiting', reason: 'escalation: too-large' });
    const requests = provider.requests.length;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(provider.requests.length).toBe(requests);
    await api.answer(run, { decision: 'abort' });
    await api.until(runId, 'failed');
  });
});

describe('usage that the provider counts wrongly', () => {
  it.each(['counted-0', 'uncounted', 'counted-100'])(
    '%s: the run comes to its end, with about as many summaries as with a true count',
    async (agent) => {
      const runId = await machine.api.start(agent, 'go');
      await completed(runId);
      const summaries = await summariesOf(runId);
      expect(summaries.length).toBeGreaterThan(1);
      expect(summaries.length).toBeLessThan(TURNS / 2);
    },
  );
});
