import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Invocation } from '../../../lambdas/lib/invocation.ts';
import type { Perform } from '../../../lambdas/lib/step.ts';
import { defineAgent } from '../../../shared/agent.ts';
import { segmentInput } from '../../../shared/machine.ts';
import type { BudgetPerDay } from '../../../shared/policy.ts';
import type { Draft } from '../../../shared/record.ts';
import { call, calling, ok, replying, settling, task } from '../../support/log-builder.ts';
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
