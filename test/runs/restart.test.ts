import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RunSummary } from '../../shared/api.ts';
import type { Json } from '../../shared/json.ts';
import type { Task } from '../../shared/record.ts';
import { askIn, resultsIn } from '../support/api-client.ts';
import { type Machine, startMachine } from '../support/machine.ts';

let machine: Machine;
beforeAll(async () => {
  machine = await startMachine(new URL('./lineage-agents.ts', import.meta.url), { sweepMs: 200 });
});
afterAll(() => machine?.stop());
beforeEach(() => {
  machine.world.applied.length = 0;
  delete machine.world.strike;
  delete machine.world.onApply;
});

const times = (name: string) => machine.world.applied.filter((effect) => effect.name === name).length;
const restart = async (runId: string, by = 'Ada') =>
  (await machine.api.call<{ run: RunSummary }>('POST', `/runs/${runId}/restart`, { by })).body.run.runId;
const factsOf = async (runId: string) => ((await machine.api.records(runId))[0] as Task).facts ?? '';

/** Holds what waits for it until it is let go. */
function gate(): { held: Promise<void>; letGo: () => void } {
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  return { held, letGo };
}

const soon = (holds: () => boolean | Promise<boolean>) => vi.waitUntil(holds, { timeout: 30_000, interval: 10 });

/** Kills the process that makes the n-th request to the outside, after the request took effect or before. */
function killAt(nth: number, point: 'before' | 'after', path = '/apply'): void {
  let seen = 0;
  machine.world.strike = (request, when) => {
    if (request.path !== path || when !== point || ++seen !== nth) return false;
    process.kill(request.pid, 'SIGKILL');
    return true;
  };
}

describe('restart', () => {
  it('answers what was done from the ledger, and does what was not', async () => {
    const { api } = machine;
    const old = await api.start('payer', [['set_plan a'], ['pay a'], ['pay_guarded b'], 'Done.']);
    await api.until(old, 'waiting');
    const runId = await restart(old);
    const waiting = await api.until(runId, 'waiting');
    expect(await api.show(old)).toMatchObject({ status: 'cancelled', reason: 'restarted', children: [runId], restartedAs: runId });
    expect(waiting).toMatchObject({ parent: { runId: old, kind: 'restart', by: 'Ada' } });
    expect(resultsIn(await api.records(runId))).toMatchObject([
      { ok: true },
      { ok: true, output: { done: 'pay' }, reused: true, effect: { key: `${old}/4/0`, state: 'done' } },
    ]);
    const facts = await factsOf(runId);
    expect(facts).toContain('[~] Pay a');
    expect(facts).toContain('- pay {"item":"a"} -> {"done":"pay"}');
    await api.answer(waiting, { decision: 'approve', by: 'Ada' });
    await api.until(runId, 'completed');
    expect([times('pay'), times('pay_guarded')]).toEqual([1, 1]);
  });

  it('is one new run, however often it is asked for', async () => {
    const { api } = machine;
    const old = await api.start('payer', [['pay a'], 'Done.']);
    await api.until(old, 'completed');
    const [first, second] = await Promise.all([restart(old), restart(old, 'Bob')]);
    expect(second).toBe(first);
    expect(await restart(old)).toBe(first);
    await api.until(first, 'completed');
    expect(times('pay')).toBe(1);
    expect(await api.call('POST', `/runs/${old}/messages`, { text: 'pay c' })).toMatchObject({
      status: 409,
      body: { title: 'Run was restarted' },
    });
  });

  it('is refused where the run that it became was erased, and says what to do', async () => {
    const { api } = machine;
    const old = await api.start('payer', ['Done.']);
    await api.until(old, 'completed');
    const runId = await restart(old);
    await api.until(runId, 'completed');
    expect(await api.call('DELETE', `/runs/${runId}`)).toMatchObject({ status: 200 });
    expect(await api.call('POST', `/runs/${old}/restart`, {})).toMatchObject({
      status: 409,
      body: { title: 'Run was restarted', detail: expect.stringMatching(`as run "${runId}", which was erased; fork it`) },
    });
  });

  it('asks about a once write whose outcome is open, under its old key', async () => {
    const { api } = machine;
    killAt(1, 'after');
    const old = await api.start('payer', [['pay a'], 'Done.']);
    await api.until(old, 'waiting');
    const runId = await restart(old);
    const waiting = await api.until(runId, 'waiting');
    expect(askIn(await api.records(runId))).toMatchObject({ kind: 'outcome-unknown', questions: [{ tool: 'pay' }] });
    expect(await factsOf(runId)).toContain('nobody knows');
    await api.answer(waiting, { decision: 'done', output: 'paid', by: 'Ada' });
    await api.until(runId, 'completed');
    expect(resultsIn(await api.records(runId))).toMatchObject([{ ok: true, output: 'paid', effect: { key: `${old}/2/0`, state: 'done' } }]);
    expect(times('pay')).toBe(1);
  });

  it('runs a once write again that a person says was not done, under its old key', async () => {
    const { api, world } = machine;
    killAt(1, 'before');
    const old = await api.start('payer', [['pay a'], 'Done.']);
    await api.until(old, 'waiting');
    const runId = await restart(old);
    await api.answer(await api.until(runId, 'waiting'), { decision: 'not-done', by: 'Ada' });
    await api.until(runId, 'completed');
    expect(world.applied).toMatchObject([{ key: `${old}/2/0`, name: 'pay' }]);
  });

  it.each(['pay_idempotent', 'pay_reconcile'])(
    'settles a %s that was done and not answered by its class, under its old key',
    async (name) => {
      const { api, world } = machine;
      const { held, letGo } = gate();
      world.onApply = () => held;
      const old = await api.start('payer', [[`${name} a`], 'Done.']);
      await soon(() => world.applied.length > 0);
      const runId = await restart(old);
      await api.until(old, 'cancelled');
      letGo();
      await api.until(runId, 'completed');
      expect(await factsOf(runId)).toContain('nobody knows');
      expect(world.applied.map(({ key }) => key)).toEqual([`${old}/2/0`]);
      expect(resultsIn(await api.records(runId))).toMatchObject([{ ok: true, effect: { key: `${old}/2/0`, state: 'done' } }]);
    },
  );

  it('runs a reconcile write that the outside system does not know, under its old key', async () => {
    const { api, world } = machine;
    world.strike = ({ path }, when) => path === '/apply' && when === 'before';
    const old = await api.start('payer', [['pay_reconcile a'], 'Done.']);
    await soon(async () => (await api.show(old)).reason.includes('will be tried again'));
    delete world.strike;
    const runId = await restart(old);
    await api.until(runId, 'completed');
    expect(await api.show(old)).toMatchObject({ status: 'cancelled', reason: 'restarted' });
    expect(world.applied).toMatchObject([{ key: `${old}/2/0`, name: 'pay_reconcile' }]);
  });

  it('waits for a call of the run before that is under way, and does nothing beside it', async () => {
    const { api, world } = machine;
    const { held, letGo } = gate();
    world.onApply = () => held;
    const old = await api.start('payer', [['pay a'], 'Done.']);
    await soon(() => world.applied.length > 0);
    const runId = await restart(old);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(await api.show(runId)).toMatchObject({ status: 'running', reason: `waits until run ${old} is over` });
    letGo();
    const run = await api.until(runId, 'completed', 'waiting');
    if (run.status === 'waiting') await api.answer(run, { decision: 'done', by: 'Ada' });
    await api.until(runId, 'completed');
    expect(times('pay')).toBe(1);
  });

  it('can be cancelled before it begins, and started over then', async () => {
    const { api, world } = machine;
    const { held, letGo } = gate();
    world.onApply = () => held;
    const first = await api.start('payer', [['pay a'], 'Done.']);
    await soon(() => world.applied.length > 0);
    const second = await restart(first);
    await soon(async () => (await api.show(second)).reason.startsWith('waits until'));
    expect((await api.call('POST', `/runs/${second}/cancel`, { by: 'Ada' })).status).toBe(202);
    await api.until(second, 'cancelled');
    const third = await restart(second);
    letGo();
    delete world.onApply;
    const run = await api.until(third, 'waiting', 'completed');
    expect((await api.show(first)).status).toBe('cancelled');
    // The call of the first run came to its end, or was cut off by the cancel.
    if (run.status === 'waiting') await api.answer(run, { decision: 'done', output: { done: 'pay' }, by: 'Ada' });
    await api.until(third, 'completed');
    expect(resultsIn(await api.records(third))).toMatchObject([
      { output: { done: 'pay' }, effect: { key: `${first}/2/0`, state: 'done' } },
    ]);
    expect(times('pay')).toBe(1);
  });

  it('takes over a message that was not read', async () => {
    const { api, world } = machine;
    const { held, letGo } = gate();
    world.onApply = () => held;
    const old = await api.start('payer', [['pay a'], 'Done.']);
    await soon(() => world.applied.length > 0);
    await api.call('POST', `/runs/${old}/messages`, { text: 'Pay no more' });
    const runId = await restart(old);
    await api.until(old, 'cancelled');
    letGo();
    expect(await soonFacts(runId)).toContain('- Pay no more');
  });

  async function soonFacts(runId: string): Promise<string> {
    await soon(async () => (await machine.api.records(runId)).length > 0);
    return factsOf(runId);
  }

  it('is restarted itself, and still knows what the first run did', async () => {
    const { api } = machine;
    const first = await api.start('payer', [['pay a'], ['pay a'], ['pay_guarded b'], 'Done.']);
    await api.until(first, 'waiting');
    const second = await restart(first);
    await api.until(second, 'waiting');
    const third = await restart(second);
    await api.answer(await api.until(third, 'waiting'), { decision: 'approve', by: 'Ada' });
    await api.until(third, 'completed');
    expect(resultsIn(await api.records(third)).map(({ effect }) => effect?.key)).toEqual([`${first}/2/0`, `${first}/4/0`, `${third}/6/0`]);
    expect([times('pay'), times('pay_guarded')]).toEqual([2, 1]);
    expect(await api.show(second)).toMatchObject({ parent: { runId: first }, children: [third] });
  });

  it('asks before it repeats what onRepeat says to ask about, and a no runs nothing', async () => {
    const { api } = machine;
    const old = await api.start('payer', [['pay_ask a'], 'Done.']);
    await api.until(old, 'completed');
    const runId = await restart(old);
    const waiting = await api.until(runId, 'waiting');
    expect(askIn(await api.records(runId)).questions[0]?.text).toContain(`by run ${old} at record 2`);
    await api.answer(waiting, { decision: 'deny', by: 'Ada' });
    await api.until(runId, 'completed');
    expect(times('pay_ask')).toBe(1);
    const again = await restart(runId);
    await api.answer(await api.until(again, 'waiting'), { decision: 'approve', by: 'Ada' });
    await api.until(again, 'completed');
    expect(times('pay_ask')).toBe(2);
  });

  it('needs no consent for what it answers from the ledger, and a new one for what it would run', async () => {
    const { api } = machine;
    const old = await api.start('payer', [['pay_guarded a'], ['pay_guarded b'], 'Done.']);
    await api.answer(await api.until(old, 'waiting'), { decision: 'approve', by: 'Ada' });
    await soon(async () => (await api.show(old)).totals.turns === 2 && (await api.show(old)).ask !== undefined);
    const runId = await restart(old);
    const waiting = await api.until(runId, 'waiting');
    expect(askIn(await api.records(runId)).questions).toMatchObject([{ input: { item: 'b' } }]);
    await api.answer(waiting, { decision: 'approve', by: 'Ada' });
    await api.until(runId, 'completed');
    expect(times('pay_guarded')).toBe(2);
  });

  it('waits for a result from outside that the run before waited for', async () => {
    const { api, world } = machine;
    const old = await api.start('payer', [['order a'], 'Done.']);
    await api.until(old, 'waiting');
    const runId = await restart(old);
    const waiting = await api.until(runId, 'waiting');
    expect(askIn(await api.records(runId))).toMatchObject({ kind: 'callback', questions: [{ key: `${old}/2/0` }] });
    const [, url] = (world.applied[0] as { input: Json }).input as [string, string];
    await fetch(url, { method: 'POST', body: JSON.stringify({ output: 'delivered' }) });
    await api.until(runId, 'completed');
    expect(waiting.ask?.kind).toBe('callback');
    expect(resultsIn(await api.records(runId))).toMatchObject([{ output: 'delivered', effect: { key: `${old}/2/0`, state: 'done' } }]);
    expect(times('order')).toBe(1);
  });

  it('asks at once about an effect under a business key whose process is known to be dead', async () => {
    const { api, host, world } = machine;
    const { held, letGo } = gate();
    world.onApply = () => held;
    const old = await api.start('payer', [[`pay_order order-${Date.now()}`], 'Done.']);
    await soon(() => world.applied.length > 0);
    await api.call('POST', `/runs/${old}/cancel`, {});
    host.kill('tool-step');
    await api.until(old, 'cancelled');
    letGo();
    const runId = await restart(old);
    await api.until(runId, 'waiting');
    expect(askIn(await api.records(runId))).toMatchObject({ kind: 'outcome-unknown', questions: [{ tool: 'pay_order' }] });
    await api.answer(await api.show(runId), { decision: 'done', by: 'Ada' });
    await api.until(runId, 'completed');
    expect(times('pay_order')).toBe(1);
  });

  it('makes one effect of a business key', async () => {
    const { api } = machine;
    const item = `order-${Date.now()}`;
    const old = await api.start('payer', [[`pay_order ${item}`], 'Done.']);
    await api.until(old, 'completed');
    const runId = await restart(old);
    await api.until(runId, 'completed');
    expect(resultsIn(await api.records(runId))).toMatchObject([{ reused: true, effect: { state: 'done' } }]);
    expect(times('pay_order')).toBe(1);
  });
});
