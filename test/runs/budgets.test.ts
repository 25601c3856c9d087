import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { type DayTotals, listAgentsResponse, type RunSummary } from '../../shared/api.ts';
import type { AskedBudget } from '../../shared/record.ts';
import { askIn, resultsIn } from '../support/api-client.ts';
import { type Machine, startMachine } from '../support/machine.ts';

let machine: Machine;
beforeAll(async () => {
  machine = await startMachine(new URL('./budget-agents.ts', import.meta.url));
});
afterAll(() => machine?.stop());

const start = async (agent: string): Promise<RunSummary> => machine.api.until(await machine.api.start(agent, 'go'), 'waiting', 'failed');
const paid = ({ runId }: RunSummary): unknown[] =>
  machine.world.applied.filter(({ key, name }) => key.startsWith(runId) && name === 'pay').map(({ input }) => input);
const budgetOf = async ({ runId }: RunSummary) => askIn(await machine.api.records(runId)).questions[0]?.budget as AskedBudget;
const items = (count: number): string[] => Array.from({ length: count }, (_, n) => `item ${n}`);

/** Waits for another ask than the one that the run waited at. */
async function nextAsk({ runId, ask }: RunSummary): Promise<RunSummary> {
  await expect.poll(async () => (await machine.api.show(runId)).ask?.id ?? ask?.id, { timeout: 20_000 }).not.toBe(ask?.id);
  return machine.api.until(runId, 'waiting');
}

describe('a run that reaches its limit of turns', () => {
  it('has done its turns whole, parallel calls as one, and waits with all results kept', async () => {
    const run = await start('short');
    expect(run).toMatchObject({ reason: 'escalation: turn-limit', totals: { turns: 5 }, limits: { turns: 5 } });
    expect(paid(run)).toEqual(items(5));
    expect(resultsIn(await machine.api.records(run.runId))).toHaveLength(15);
  });

  it('goes on by the amount that is said, and does nothing twice', async () => {
    const run = await start('short');
    expect(await machine.api.answer(run, { decision: 'raise', amount: 2, by: 'Ada' })).toMatchObject({ status: 200 });
    const again = await nextAsk(run);
    expect(again).toMatchObject({ totals: { turns: 7, raised: { turns: 2 } }, limits: { turns: 7 } });
    expect(paid(again)).toEqual(items(7));
  });

  it('goes on by as much as the ask offers when nobody says by how much, and the log says how much that was', async () => {
    const run = await start('short');
    await machine.api.answer(run, { decision: 'raise' });
    expect(await nextAsk(run)).toMatchObject({ totals: { turns: 10 } });
    const answer = (await machine.api.records(run.runId)).find(({ type }) => type === 'answer');
    expect(answer).toMatchObject({ by: 'the API', answers: [{ decision: 'raise', amount: 5 }] });
  });

  it('takes no amount that is none, is out of bounds, or belongs to another decision', async () => {
    const run = await start('short');
    for (const amount of [0, -1, 1.5, 51, 1e300])
      expect(await machine.api.answer(run, { decision: 'raise', amount })).toMatchObject({ status: 400, body: { field: 'amount' } });
    expect(await machine.api.answer(run, { decision: 'stop', amount: 3 })).toMatchObject({ status: 400, body: { field: 'amount' } });
    expect(await machine.api.show(run.runId)).toMatchObject({ status: 'waiting', ask: run.ask });
  });

  it('finishes up: one more turn, then it ends with its last text', async () => {
    const run = await start('short');
    await machine.api.answer(run, { decision: 'finish', by: 'Ada' });
    expect(await machine.api.until(run.runId, 'completed')).toMatchObject({ reason: 'turn-limit', totals: { turns: 6 } });
    expect((await machine.api.records(run.runId)).at(-1)).toMatchObject({ type: 'end', text: 'This is what I have.' });
    expect(paid(run)).toEqual(items(5));
  });

  it('runs no call of an agent that goes on although it is to finish up', async () => {
    const run = await start('stubborn');
    await machine.api.answer(run, { decision: 'finish' });
    await machine.api.until(run.runId, 'completed');
    expect(paid(run)).toEqual(items(2));
    const records = await machine.api.records(run.runId);
    expect(resultsIn(records).slice(6)).toMatchObject(
      Array.from({ length: 3 }, () => ({ ok: false, output: expect.stringContaining('Not run') })),
    );
    expect(records.at(-1)).toMatchObject({ text: 'Turn 2' });
  });

  it('ends with what was said before when the last turn says nothing', async () => {
    const run = await start('silent');
    await machine.api.answer(run, { decision: 'finish' });
    await machine.api.until(run.runId, 'completed');
    expect((await machine.api.records(run.runId)).at(-1)).toMatchObject({ reason: 'turn-limit', text: 'Turn 0' });
  });

  it('stops, with its last text, and goes on from there when its budget is raised afterwards', async () => {
    const run = await start('short');
    await machine.api.answer(run, { decision: 'stop', by: 'Ada' });
    const stopped = await machine.api.until(run.runId, 'failed');
    expect(stopped).toMatchObject({ reason: 'turn-limit' });
    expect((await machine.api.records(run.runId)).at(-1)).toMatchObject({ status: 'failed', text: 'Turn 4' });
    const late = await machine.api.call<{ detail: string }>('POST', `/runs/${run.runId}/messages`, { text: 'More' });
    expect([late.status, late.body.detail]).toEqual([409, expect.stringContaining('raise its budget to continue it')]);
    expect(await machine.api.call('POST', `/runs/${run.runId}/budget`, { raise: { turns: 2 }, by: 'Bob' })).toMatchObject({ status: 202 });
    const again = await nextAsk(run);
    expect(again).toMatchObject({ totals: { turns: 7 }, limits: { turns: 7 } });
    expect(paid(again)).toEqual(items(7));
    const said = (await machine.api.records(run.runId)).find(({ type }) => type === 'user');
    expect(said).toMatchObject({ messages: [{ raise: { by: 'Bob', turns: 2 } }] });
  });

  it('goes on after it has finished up, too', async () => {
    const run = await start('short');
    await machine.api.answer(run, { decision: 'finish' });
    await machine.api.until(run.runId, 'completed');
    await machine.api.call('POST', `/runs/${run.runId}/budget`, { raise: { turns: 2 }, text: 'Say it again', by: 'Bob' });
    await expect.poll(async () => (await machine.api.show(run.runId)).totals.turns).toBe(7);
    expect(await machine.api.until(run.runId, 'completed')).toMatchObject({ reason: 'final-reply' });
    expect(paid(run)).toEqual(items(5));
  });
});

describe('a budget that is raised before it is reached', () => {
  it('is raised once, however often the request is sent', async () => {
    const { api } = machine;
    const runId = await api.start('short', 'go');
    const send = () =>
      api.call('POST', `/runs/${runId}/budget`, { raise: { turns: 1 }, by: 'Ada' }, { 'idempotency-key': `raise-${runId}` });
    const [first, second] = [await send(), await send()];
    expect([first.status, second.body]).toEqual([202, first.body]);
    expect(await api.until(runId, 'waiting')).toMatchObject({ totals: { turns: 6 }, limits: { turns: 6 } });
  });

  it('is not raised twice while an ask about it is open, nor when it is not limited, nor by nothing', async () => {
    const run = await start('short');
    const raise = (given: object) => machine.api.call<{ field: string; detail: string }>('POST', `/runs/${run.runId}/budget`, given);
    const asked = await raise({ raise: { turns: 1 } });
    expect([asked.status, asked.body.detail]).toEqual([409, expect.stringContaining(`answer its ask "${run.ask?.id}"`)]);
    expect(await raise({ raise: { tokens: 1 } })).toMatchObject({ status: 400, body: { field: 'raise.tokens' } });
    expect(await raise({ raise: { turns: 51 } })).toMatchObject({ status: 400, body: { field: 'raise.turns' } });
    expect(await raise({ raise: {} })).toMatchObject({ status: 400, body: { field: 'raise' } });
    expect(await raise({ raise: { turns: -1 } })).toMatchObject({ status: 400 });
    expect(await raise({})).toMatchObject({ status: 400 });
  });

  it('does not open a run that ended for another reason', async () => {
    const run = await start('short');
    await machine.api.call('POST', `/runs/${run.runId}/cancel`, { by: 'Ada' });
    await machine.api.until(run.runId, 'cancelled');
    expect(await machine.api.call('POST', `/runs/${run.runId}/budget`, { raise: { turns: 1 } })).toMatchObject({ status: 409 });
  });
});

describe('the other budgets of a run', () => {
  it('tokens: it asks before the step that would overdraw them', async () => {
    const run = await start('thrifty');
    const { inputTokens, outputTokens } = run.totals;
    expect(run).toMatchObject({ reason: 'escalation: token-limit', limits: { tokens: 300 } });
    expect(inputTokens + outputTokens).toBeLessThanOrEqual(300);
    expect(await budgetOf(run)).toMatchObject({ unit: 'tokens', limit: 300, spent: inputTokens + outputTokens });
    await machine.api.answer(run, { decision: 'finish' });
    expect(await machine.api.until(run.runId, 'completed')).toMatchObject({ reason: 'token-limit' });
  });

  it('money: it asks before the step that would overdraw it, and says what it has cost', async () => {
    const run = await start('cheap');
    expect(run).toMatchObject({ reason: 'escalation: cost-limit', limits: { costUsd: 0.05 } });
    expect(run.costUsd).toBeGreaterThan(0.02);
    expect(run.costUsd).toBeLessThanOrEqual(0.05);
    const { least } = await budgetOf(run);
    expect(await machine.api.answer(run, { decision: 'raise', amount: least / 2 })).toMatchObject({ status: 400 });
    await machine.api.answer(run, { decision: 'raise', amount: least });
    const again = await nextAsk(run);
    expect(again.totals.turns).toBe(run.totals.turns + 1);
  });

  it('time: it asks after the time at work, waits for the model included, and not for that in which it asked', async () => {
    const run = await start('hasty');
    expect(run.reason).toBe('escalation: time-limit');
    const { spent } = await budgetOf(run);
    expect(spent).toBeGreaterThanOrEqual(2);
    await machine.api.answer(run, { decision: 'raise', amount: 10 });
    expect(await machine.api.until(run.runId, 'completed')).toMatchObject({ limits: { seconds: 11 } });
  });

  it('money without a known price: no run is started, and the refusal says why', async () => {
    const refused = await machine.api.call<{ detail: string }>('POST', '/runs', { agent: 'unpriced', input: 'go' });
    expect([refused.status, refused.body.detail]).toEqual([
      422,
      expect.stringContaining('the price of openai-compatible/llama is not known'),
    ]);
    expect((await machine.api.call<{ runs: unknown[] }>('GET', '/runs?agent=unpriced')).body.runs).toEqual([]);
  });
});

describe('the budget of a day', () => {
  const agentNamed = async (name: string) => {
    const { body } = await machine.api.call<z.infer<typeof listAgentsResponse>>('GET', '/agents');
    return listAgentsResponse.parse(body).agents.find((agent) => agent.name === name)?.today as DayTotals;
  };
  const outcomes = async (runIds: readonly string[]) =>
    Promise.all(runIds.map((runId) => machine.api.until(runId, 'waiting', 'completed', 'failed')));
  const startMany = (agent: string, count: number) => Promise.all(Array.from({ length: count }, () => machine.api.start(agent, 'go')));
  const tokensOf = ({ totals }: Pick<RunSummary, 'totals'>) => totals.inputTokens + totals.outputTokens;
  const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);

  it('is counted, and limits nothing, where no limit is given', async () => {
    const runs = await outcomes(await startMany('counted', 3));
    expect(runs.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
    const today = await agentNamed('counted');
    expect(today).toMatchObject({ runs: 3, totals: { turns: 12 }, limits: {} });
    expect(tokensOf(today)).toBe(sum(runs.map(tokensOf)));
    expect(today.costUsd).toBeCloseTo(sum(runs.map(({ costUsd = 0 }) => costUsd)), 9);
    expect((await agentNamed('daily-runs')).runs).toBe(0);
    expect(await agentNamed('short')).toBeUndefined();
  });

  it('holds runs that work at once: together they never spend more, and ask before they would', async () => {
    const runs = await outcomes(await startMany('daily', 8));
    const waiting = runs.filter(({ status }) => status === 'waiting');
    expect(waiting.length).toBeGreaterThan(0);
    for (const run of waiting) expect(run.reason).toBe('escalation: day-limit');
    const today = await agentNamed('daily');
    expect(tokensOf(today)).toBe(sum(runs.map(tokensOf)));
    expect(tokensOf(today)).toBeLessThanOrEqual(250);
    expect(await budgetOf(waiting[0] as RunSummary)).toMatchObject({ unit: 'tokens', limit: 250, day: today.day });
  });

  it('is raised for all runs of the day, once, by the answer of one', async () => {
    const [run] = (await machine.api.call<{ runs: RunSummary[] }>('GET', '/runs?agent=daily&status=waiting')).body.runs;
    await machine.api.answer(run as RunSummary, { decision: 'raise', amount: 2500, by: 'Ada' });
    await machine.api.until(run?.runId as string, 'completed');
    expect((await agentNamed('daily')).limits).toEqual({ tokens: 2750 });
    const rest = (await machine.api.call<{ runs: RunSummary[] }>('GET', '/runs?agent=daily&status=waiting')).body.runs;
    for (const other of rest) await machine.api.answer(other, { decision: 'retry' });
    for (const other of rest) await machine.api.until(other.runId, 'completed');
    expect(await agentNamed('daily')).toMatchObject({ runs: 8, totals: { turns: 32 }, limits: { tokens: 2750 } });
  });

  it('in money: a run finishes up, or stops, and what it took is counted', async () => {
    const [first, second] = await outcomes(await startMany('daily-cost', 2));
    await machine.api.answer(first as RunSummary, { decision: 'finish' });
    expect(await machine.api.until(first?.runId as string, 'completed')).toMatchObject({ reason: 'day-limit' });
    await machine.api.answer(second as RunSummary, { decision: 'stop' });
    expect(await machine.api.until(second?.runId as string, 'failed')).toMatchObject({ reason: 'day-limit' });
    const runs = await outcomes([first?.runId as string, second?.runId as string]);
    expect((await agentNamed('daily-cost')).costUsd).toBeCloseTo(sum(runs.map(({ costUsd = 0 }) => costUsd)), 9);
  });

  it('in runs: a run above the number asks before its first turn', async () => {
    const runs = await outcomes(await startMany('daily-runs', 4));
    expect(runs.map(({ status }) => status).sort()).toEqual(['completed', 'completed', 'waiting', 'waiting']);
    const waiting = runs.find(({ status }) => status === 'waiting') as RunSummary;
    expect(waiting.totals.turns).toBe(0);
    await machine.api.answer(waiting, { decision: 'raise', amount: 1 });
    await machine.api.until(waiting.runId, 'completed');
    expect(await agentNamed('daily-runs')).toMatchObject({ runs: 3, limits: { runs: 3 } });
  });
});
