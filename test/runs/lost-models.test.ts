import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunSummary } from '../../shared/api.ts';
import { createStriker, strikeProxy } from '../crash/striker.ts';
import { askIn, resultsIn } from '../support/api-client.ts';
import { type Machine, startMachine } from '../support/machine.ts';
import { anthropicMessage, text, toolUse } from '../support/provider-server/answers.ts';
import { type ProviderServer, startProviderServer } from '../support/provider-server.ts';

const AGENTS = new URL('./lost-pins-agents.ts', import.meta.url);

let provider: ProviderServer;
let machine: Machine;
const striker = createStriker();
let proxy: Awaited<ReturnType<typeof strikeProxy>>;
beforeAll(async () => {
  provider = await startProviderServer();
  proxy = await strikeProxy(() => machine.host.endpoints.store, striker);
  const environment = { ANTHROPIC_BASE_URL: `${provider.url}/v1`, ANTHROPIC_API_KEY: 'key-one', AWS_ENDPOINT_URL_DYNAMODB: proxy.url };
  machine = await startMachine(AGENTS, { environment });
});
afterAll(async () => {
  await machine?.stop();
  proxy?.close();
  await provider?.close();
});

const asksToPay = (model = 'claude-x-1') => ({ body: anthropicMessage([toolUse('t1', 'pay', { item: 'a' })], 'tool_use', { model }) });
const says = (words: string, model = 'claude-x-1') => ({ body: anthropicMessage([text(words)], 'end_turn', { model }) });
const refusal = (status: number, type: string) => ({ status, body: { type: 'error', error: { type, message: 'No.' } } });

async function asked(runId: string, kind: string): Promise<RunSummary> {
  await expect.poll(async () => (await machine.api.show(runId)).ask?.kind, { timeout: 60_000 }).toBe(kind);
  return machine.api.show(runId);
}

/** A run whose payment was approved and made, and whose next request meets what is played. */
async function paid(agent: string, ...played: Parameters<ProviderServer['play']>): Promise<string> {
  provider.play(asksToPay(), ...played);
  const runId = await machine.api.start(agent, 'Pay a');
  await machine.api.answer(await asked(runId, 'approval'), { decision: 'approve', by: 'Ada' });
  return runId;
}

const payments = (runId: string) => machine.world.applied.filter(({ key }) => key.startsWith(runId)).length;
const asksOf = async (runId: string) =>
  (await machine.api.records(runId)).flatMap((record) => (record.type === 'ask' ? [record.kind] : []));

describe('a model step that is killed after its reply is stored, before it says so', () => {
  it('is done: the model is not asked again, though it would say something else', async () => {
    // Asked once more, it would answer what is played when nothing is queued: a text.
    provider.play(asksToPay());
    const before = provider.requests.length;
    striker.aimAt('model-step PutItem', 'after');
    const runId = await machine.api.start('teller', 'Pay a');
    const run = await asked(runId, 'approval');
    expect([striker.struck, provider.requests.length - before]).toEqual(['model-step PutItem (after)', 1]);
    provider.play(says('Paid.'));
    await machine.api.answer(run, { decision: 'approve', by: 'Ada' });
    await machine.api.until(runId, 'completed');
    expect((await machine.api.records(runId)).map(({ type }) => type)).toEqual([
      'task',
      'reply',
      'ask',
      'answer',
      'results',
      'reply',
      'end',
    ]);
    expect(machine.world.applied.filter(({ key }) => key.startsWith(runId))).toMatchObject([{ input: 'a' }]);
  });
});

describe('a model that is no more', () => {
  it('is asked about once; another that a person names goes on from where the run stood', async () => {
    const runId = await paid('teller', refusal(404, 'not_found_error'), says('Paid.'));
    const run = await asked(runId, 'restart');
    const before = provider.requests.length;
    expect(askIn(await machine.api.records(runId))).toMatchObject({
      reason: 'model-not-found',
      questions: [{ choices: ['repin', 'restart', 'retry', 'abort'], text: expect.stringContaining('anthropic/claude-x') }],
    });
    expect(await machine.api.answer(run, { decision: 'repin', by: 'Ada' })).toMatchObject({ status: 400, body: { field: 'model' } });
    expect(await machine.api.answer(run, { decision: 'repin', by: 'Ada', model: 'nobody/x' })).toMatchObject({ status: 400 });
    expect(await machine.api.answer(run, { decision: 'repin', by: 'Ada', model: 'anthropic/claude-y' })).toMatchObject({ status: 200 });
    await machine.api.until(runId, 'completed');
    expect(provider.requests.length - before).toBe(1);
    expect(provider.requests.at(-1)?.body).toMatchObject({ model: 'claude-y' });
    expect(payments(runId)).toBe(1);
    expect(await asksOf(runId)).toEqual(['approval', 'restart']);
  });
});

describe('a key that is refused while a run waits', () => {
  it.each([
    [401, 'authentication_error', /replace it/],
    [403, 'permission_error', /grant it access/],
    [402, 'billing_error', /add credit/],
  ])('is asked about with what to do (%s), is not tried again by itself, and keeps what was approved', async (status, type, remedy) => {
    const runId = await paid('teller', refusal(status, type), says('Paid.'));
    const run = await asked(runId, 'escalation');
    expect(askIn(await machine.api.records(runId)).questions[0]?.text).toMatch(remedy);
    await machine.api.answer(run, { decision: 'retry', by: 'Ada' });
    await machine.api.until(runId, 'completed');
    expect([payments(runId), await asksOf(runId)]).toEqual([1, ['approval', 'escalation']]);
  });
});

describe('a model that the provider changes under a run', () => {
  it('is asked about before anything that it says is done, and then goes on with both', async () => {
    const runId = await paid('teller', asksToPay('claude-x-2'), says('Paid twice.', 'claude-x-1'));
    const run = await asked(runId, 'restart');
    expect(askIn(await machine.api.records(runId)).questions[0]?.text).toMatch(/served claude-x-2 .* claude-x-1 before/);
    expect(payments(runId)).toBe(1);
    await machine.api.answer(run, { decision: 'repin', by: 'Ada' });
    await machine.api.answer(await asked(runId, 'approval'), { decision: 'approve', by: 'Ada' });
    await machine.api.until(runId, 'completed');
    expect(payments(runId)).toBe(2);
    const { pin } = (await machine.api.call<{ pin: object }>('GET', `/runs/${runId}/pin`)).body;
    expect(pin).toMatchObject({ served: ['claude-x-1', 'claude-x-2'] });
  });

  it('is gone on with where the agent adopts what drifts, and both are in the log', async () => {
    const runId = await paid('adopting-teller', says('Paid.', 'claude-x-2'));
    await machine.api.until(runId, 'completed');
    const replies = (await machine.api.records(runId)).flatMap((record) => (record.type === 'reply' ? [record.servedModel] : []));
    expect(replies).toEqual(['claude-x-1', 'claude-x-2']);
  });
});

describe('a run that wakes to another key, or to none', () => {
  it('goes on with the key of that time; without one it says which setting is missing, and asks for no consent again', async () => {
    provider.play(asksToPay(), asksToPay());
    const [first, second] = [await machine.api.start('teller', 'Pay a'), await machine.api.start('teller', 'Pay a')];
    for (const runId of [first, second]) await asked(runId, 'approval');
    await machine.restart({ environment: { ANTHROPIC_API_KEY: 'key-two' } });
    provider.play(says('Paid.'));
    await machine.api.answer(await asked(first, 'approval'), { decision: 'approve', by: 'Ada' });
    await machine.api.until(first, 'completed');
    expect(provider.requests.at(-1)?.headers['x-api-key']).toBe('key-two');
    await machine.restart({ environment: { ANTHROPIC_API_KEY: '' } });
    await machine.api.answer(await asked(second, 'approval'), { decision: 'approve', by: 'Ada' });
    await asked(second, 'escalation');
    expect(askIn(await machine.api.records(second)).questions[0]?.text).toContain('ANTHROPIC_API_KEY is not set');
    await machine.restart({ environment: { ANTHROPIC_API_KEY: 'key-three' } });
    provider.play(says('Paid.'));
    await machine.api.answer(await asked(second, 'escalation'), { decision: 'retry', by: 'Ada' });
    await machine.api.until(second, 'completed');
    expect([payments(second), await asksOf(second)]).toEqual([1, ['approval', 'escalation']]);
    expect(resultsIn(await machine.api.records(second))).toMatchObject([{ ok: true }]);
  });
});

describe('a variable that names another model while a run waits', () => {
  it('is for new runs: one that has begun stays with its model, unless its agent adopts what is in service', async () => {
    provider.play(asksToPay(), asksToPay());
    const [stays, adopts] = [await machine.api.start('teller', 'Pay a'), await machine.api.start('adopting-teller', 'Pay a')];
    for (const runId of [stays, adopts]) await asked(runId, 'approval');
    await machine.restart({ environment: { ANTHROPIC_API_KEY: 'key-four', HOLDFAST_MODEL: 'anthropic/claude-y' } });
    const { drift } = (await machine.api.call<{ drift: { changes: string[] } }>('GET', `/runs/${stays}/pin`)).body;
    expect(drift.changes).toEqual(['model: anthropic/claude-x became anthropic/claude-y']);
    for (const [runId, model] of [
      [stays, 'claude-x'],
      [adopts, 'claude-y'],
    ] as const) {
      provider.play(says('Paid.'));
      await machine.api.answer(await asked(runId, 'approval'), { decision: 'approve', by: 'Ada' });
      await machine.api.until(runId, 'completed');
      expect(provider.requests.at(-1)?.body).toMatchObject({ model });
      expect(payments(runId)).toBe(1);
    }
    const repins = (await machine.api.records(adopts)).flatMap((record) => (record.type === 'answer' ? record.answers : []));
    expect(repins).toMatchObject([{ decision: 'approve' }, { decision: 'repin', pin: { model: 'anthropic/claude-y' } }]);
  });
});
