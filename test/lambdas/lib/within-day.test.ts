import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Invocation } from '../../../lambdas/lib/invocation.ts';
import type { Perform } from '../../../lambdas/lib/step.ts';
import { defineAgent } from '../../../shared/agent.ts';
import { segmentInput } from '../../../shared/machine.ts';
import type { BudgetPerDay } from '../../../shared/policy.ts';
import type { Draft } from '../../../shared/record.ts';
import { answering, call, calling, ok, replying, settling, task } from '../../support/log-builder.ts';
import { aMeta } from '../../support/meta.ts';
import { openTables } from '../../support/tables.ts';

let tables: Awaited<ReturnType<typeof openTables>>;
let day: typeof import('../../../lambdas/lib/day-store.ts');
let within: typeof import('../../../lambdas/lib/within-day.ts');
let logs: typeof import('../../../lambdas/lib/log-store.ts');
let metas: typeof import('../../../lambdas/lib/meta-store.ts');
beforeAll(async () => {
  tables = await openTables();
  day = await import('../../../lambdas/lib/day-store.ts');
  within = await import('../../../lambdas/lib/within-day.ts');
  logs = await import('../../../lambdas/lib/log-store.ts');
  metas = await import('../../../lambdas/lib/meta-store.ts');
});
afterAll(() => tables?.close());
afterEach(() => void vi.useRealTimers());

let runs = 0;
const newRunId = () => `01JZ${String(runs++).padStart(22, '0')}`;

/** A run of an agent of its own, so that each test has a day of its own. */
async function aRun(limits: BudgetPerDay, name = `agent-${runs}`) {
  const runId = newRunId();
  const meta = aMeta({ runId, agent: name });
  await metas.createMeta(meta);
  await logs.appendAt(runId, 1, task('x'.repeat(200)));
  const agent = defineAgent({ name, description: 'Works', model: 'scripted/test', instructions: 'Work.', tools: [] });
  const planned = { model: 'scripted/test', overheadTokens: 10, maxOutputTokens: 50 };
  const spend = async (perform: Perform) => {
    const step = { log: await logs.readLog(runId), meta, state: segmentInput(runId, 1), invocation: {} as Invocation };
    return within.spend({ step, agent, planned, limits }, perform);
  };
  const today = () => day.readDay({ agent: name, day: day.dayOf(Date.now()) });
  return { runId, name, spend, today };
}

const usage = { inputTokens: 70, outputTokens: 20 };
const replies =
  (draft: Draft = replying({ text: 'Hm', usage })): Perform =>
  ({ meta, log }) =>
    logs.append(meta.runId, log, draft);
const dies: Perform = () => Promise.reject(new Error('killed'));

describe('spend()', () => {
  it('counts what a step took, and the run with its first reply', async () => {
    const { runId, spend, today } = await aRun({ tokens: 300 });
    await spend(replies(calling(call())));
    await logs.appendAt(runId, 3, settling(ok())(await logs.readLog(runId)));
    await spend(replies());
    expect(await today()).toMatchObject({ runs: 1, turns: 2, inputTokens: 80, outputTokens: 25, usedTokens: 105 });
  });

  it('reserves once for a step that is killed and begun again, and counts once what it took', async () => {
    const { spend, today } = await aRun({ tokens: 300 });
    for (let i = 0; i < 4; i++) await expect(spend(dies)).rejects.toThrow('killed');
    expect(await today()).toMatchObject({ usedTokens: 110, turns: 0 });
    await spend(replies());
    expect(await today()).toMatchObject({ usedTokens: 90, turns: 1, runs: 1 });
  });

  it('counts a reply whose step was killed before it was counted, with the next step', async () => {
    const { runId, spend, today } = await aRun({ tokens: 300 });
    const killedAfter: Perform = async (step) => {
      await replies(calling(call()))(step);
      throw new Error('killed');
    };
    await expect(spend(killedAfter)).rejects.toThrow('killed');
    expect(await today()).toMatchObject({ usedTokens: 110, turns: 0, runs: 0 });
    await logs.appendAt(runId, 3, settling(ok())(await logs.readLog(runId)));
    await spend(replies());
    expect(await today()).toMatchObject({ usedTokens: 105, turns: 2, runs: 1 });
    expect((await today()).steps).toBeUndefined();
  });

  it('gives back what was reserved when no reply came', async () => {
    const { spend, today } = await aRun({ tokens: 300 });
    await spend(async ({ log }) => log);
    expect(await today()).toMatchObject({ usedTokens: 0, usedRuns: 0 });
  });

  it('asks where there is no room, and spends nothing', async () => {
    const first = await aRun({ tokens: 150 });
    await first.spend(replies());
    const second = await aRun({ tokens: 150 }, first.name);
    let performed = false;
    const log = await second.spend(async (step) => {
      performed = true;
      return step.log;
    });
    expect(performed).toBe(false);
    expect(log.at(-1)).toMatchObject({
      type: 'ask',
      reason: 'day-limit',
      questions: [{ budget: { unit: 'tokens', spent: 90, limit: 150 } }],
    });
    expect(await second.today()).toMatchObject({ usedTokens: 90, runs: 1 });
  });
});

describe('spend() at midnight, UTC', () => {
  const NIGHT = Date.UTC(2026, 10, 30, 23, 59, 59);
  const MORNING = NIGHT + 2_000;
  const at = (now: number) => void vi.useFakeTimers({ toFake: ['Date'], now });
  const dayAt = (agent: string, now: number) => day.readDay({ agent, day: day.dayOf(now) });

  /** A run that waits on a day that was spent by another run of its agent. */
  async function waiting() {
    at(NIGHT);
    const first = await aRun({ tokens: 150 });
    await first.spend(replies());
    const second = await aRun({ tokens: 150 }, first.name);
    expect((await second.spend(replies())).at(-1)).toMatchObject({ type: 'ask', reason: 'day-limit' });
    const answer = async (...given: Parameters<typeof answering>) =>
      logs.appendAt(second.runId, 3, answering(...given)(await logs.readLog(second.runId)));
    return { ...second, answer };
  }

  it('has the new day before it for a run that waited, and leaves the old one as it was', async () => {
    const { name, spend, answer } = await waiting();
    at(MORNING);
    await answer('retry');
    expect((await spend(replies())).at(-1)).toMatchObject({ type: 'reply' });
    expect(await dayAt(name, MORNING)).toMatchObject({ day: '2026-12-01', runs: 1, turns: 1, usedTokens: 90 });
    expect(await dayAt(name, NIGHT)).toMatchObject({ day: '2026-11-30', runs: 1, turns: 1, usedTokens: 90 });
  });

  it('asks again on the old day when it is looked at a moment too early', async () => {
    const { name, spend, answer } = await waiting();
    await answer('retry');
    expect((await spend(replies())).at(-1)).toMatchObject({ type: 'ask', questions: [{ budget: { day: '2026-11-30' } }] });
    expect(await dayAt(name, MORNING)).toMatchObject({ runs: 0, usedTokens: 0 });
  });

  it('raises the day that was asked about, not the day of the answer', async () => {
    const { name, spend, answer } = await waiting();
    at(MORNING);
    await answer('raise', { amount: 500 });
    expect((await spend(replies())).at(-1)).toMatchObject({ type: 'reply' });
    expect(await dayAt(name, NIGHT)).toMatchObject({ raisedTokens: 500 });
    expect(await dayAt(name, MORNING)).toMatchObject({ raisedTokens: 0, usedTokens: 90 });
  });

  it('counts a step on the day on which it began, though its reply comes on the next', async () => {
    at(NIGHT);
    const { name, spend } = await aRun({ tokens: 300 });
    await spend((step) => {
      at(MORNING);
      return replies()(step);
    });
    expect(await dayAt(name, NIGHT)).toMatchObject({ runs: 1, turns: 1, usedTokens: 90 });
    expect(await dayAt(name, MORNING)).toMatchObject({ runs: 0, turns: 0, usedTokens: 0 });
    expect((await dayAt(name, NIGHT)).steps).toBeUndefined();
  });

  it('counts a reply on its own day whose step was killed before it was counted, with the next step on another day', async () => {
    at(NIGHT);
    const { runId, name, spend } = await aRun({ tokens: 300 });
    const killedAfter: Perform = async (step) => {
      await replies(calling(call()))(step);
      throw new Error('killed');
    };
    await expect(spend(killedAfter)).rejects.toThrow('killed');
    at(MORNING);
    await logs.appendAt(runId, 3, settling(ok())(await logs.readLog(runId)));
    await spend(replies(calling(call())));
    await logs.appendAt(runId, 5, settling(ok())(await logs.readLog(runId)));
    await spend(replies(calling(call())));
    expect(await dayAt(name, NIGHT)).toMatchObject({ runs: 1, turns: 1, usedRuns: 1, usedTokens: 15 });
    expect((await dayAt(name, NIGHT)).steps).toBeUndefined();
    expect(await dayAt(name, MORNING)).toMatchObject({ runs: 0, turns: 2, usedRuns: 0 });
  });
});
