import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RunSummary } from '../../shared/api.ts';
import type { RunRecord } from '../../shared/record.ts';
import { askIn, resultsIn } from '../support/api-client.ts';
import { type Machine, startMachine } from '../support/machine.ts';
import { storesOf } from '../support/stores.ts';

let machine: Machine;
beforeAll(async () => {
  machine = await startMachine(new URL('./lineage-agents.ts', import.meta.url), { sweepMs: 200 });
});
afterAll(() => machine?.stop());
beforeEach(() => {
  machine.world.applied.length = 0;
});

const times = (name: string) => machine.world.applied.filter((effect) => effect.name === name).length;
const post = (runId: string, body: object, key?: string) =>
  machine.api.call<{ run: RunSummary; detail: string; field?: string }>(
    'POST',
    `/runs/${runId}/fork`,
    body,
    key ? { 'idempotency-key': key } : {},
  );
const fork = async (runId: string, at: number, message?: string) => {
  const { status, body } = await post(runId, { at, ...(message ? { message } : {}), by: 'Ada' });
  if (status !== 202) throw new Error(`${status}: ${body.detail}`);
  return body.run.runId;
};
const keysOf = async (runId: string) => resultsIn(await machine.api.records(runId)).map(({ effect }) => effect?.key);
const completed = async (lines: unknown[]) => {
  const runId = await machine.api.start('payer', lines as never);
  await machine.api.until(runId, 'completed');
  return runId;
};

describe('fork', () => {
  it('shares the records before its branch, and has its own after them', async () => {
    const { api } = machine;
    const old = await completed([['pay a'], ['look_up b'], 'Done.']);
    const runId = await fork(old, 3, 'pay c');
    await api.until(runId, 'completed');
    const [shared, own] = [await api.records(old), await api.records(runId)];
    expect(own.slice(0, 3)).toEqual(shared.slice(0, 3));
    const kept = [...(await storesOf(machine)).keys()].flatMap((place) => place.match(`RUN#${runId} R#0*(\\d+)`)?.[1] ?? []);
    expect(kept.map(Number).sort()).toEqual([4, 5, 6, 7, 8]);
    expect(own.map(({ seq, type }) => [seq, type])).toEqual(
      [
        [1, 'task'],
        [2, 'reply'],
        [3, 'results'],
        [4, 'user'],
        [5, 'reply'],
        [6, 'results'],
        [7, 'reply'],
        [8, 'end'],
      ].map(([seq, type]) => [seq, type]),
    );
    expect(await api.show(runId)).toMatchObject({ parent: { runId: old, kind: 'fork', at: 3 } });
    expect(await api.show(old)).toMatchObject({ children: [runId] });
    expect(times('pay')).toBe(2);
    const tail = await api.call<{ records: RunRecord[] }>('GET', `/runs/${runId}/records?after=2&limit=1`);
    expect(tail.body.records).toEqual([shared[2]]);
  });

  it('answers a write that its parent did after the branch from the ledger', async () => {
    const { api } = machine;
    const old = await completed([['look_up a'], ['pay b'], 'Done.']);
    const runId = await fork(old, 3);
    await api.until(runId, 'completed');
    expect(resultsIn(await api.records(runId))[1]).toMatchObject({ reused: true, effect: { key: `${old}/4/0`, state: 'done' } });
    expect(times('pay')).toBe(1);
  });

  it('answers the calls of an open turn, from the ledger where they were done, and asks anew', async () => {
    const { api } = machine;
    const old = await api.start('payer', [['pay a', 'pay_guarded b'], 'Done.']);
    const first = await api.until(old, 'waiting');
    expect(times('pay')).toBe(0);
    await api.call('POST', `/runs/${old}/cancel`, { by: 'Ada' });
    await api.until(old, 'cancelled');
    const runId = await fork(old, 3);
    expect((await api.show(runId)).parent).toMatchObject({ at: 2 });
    const waiting = await api.until(runId, 'waiting');
    expect(waiting.ask?.id).toBe(`${runId}-3`);
    expect(waiting.ask?.id).not.toBe(first.ask?.id);
    expect((await api.answer(first, { decision: 'approve', by: 'Ada' })).status).toBe(409);
    await api.answer(waiting, { decision: 'approve', by: 'Ada' });
    await api.until(runId, 'completed');
    expect(await keysOf(runId)).toEqual([`${runId}/2/0`, `${runId}/2/1`]);
    expect([times('pay'), times('pay_guarded')]).toEqual([1, 1]);
    const again = await fork(runId, 2);
    await api.until(again, 'completed');
    expect(await keysOf(again)).toEqual([`${runId}/2/0`, `${runId}/2/1`]);
    expect([times('pay'), times('pay_guarded')]).toEqual([1, 1]);
  });

  it('of a fork shows one whole log, and knows what both runs before it did', async () => {
    const { api } = machine;
    const first = await completed([['look_up a'], ['pay b'], 'Done.']);
    const second = await fork(first, 3, 'pay c');
    await api.until(second, 'completed');
    const third = await fork(second, 5, 'pay b, pay c, pay d');
    await api.until(third, 'completed');
    const records = await api.records(third);
    expect(records.map(({ seq }) => seq)).toEqual(records.map((_, i) => i + 1));
    expect(await keysOf(third)).toEqual([undefined, `${second}/5/0`, `${first}/4/0`, `${third}/8/1`, `${third}/8/2`]);
    expect(times('pay')).toBe(4);
  });

  it('beside others of one run makes one effect of equal calls, and the parent that goes on does too', async () => {
    const { api } = machine;
    const old = await completed([['look_up a'], 'Done.']);
    const forks = await Promise.all([fork(old, 3, 'pay x'), fork(old, 3, 'pay x')]);
    await api.call('POST', `/runs/${old}/messages`, { text: 'pay x' });
    for (const runId of [...forks, old]) await answered(runId);
    expect(times('pay')).toBe(1);
    for (const runId of [...forks, old])
      expect(resultsIn(await api.records(runId)).at(-1)).toMatchObject({ ok: true, output: { done: 'pay' } });
    expect(new Set((await Promise.all([...forks, old].map(keysOf))).map((keys) => keys.at(-1))).size).toBe(1);
  });

  /** A message opens a completed run again: it is over once the message was answered. */
  async function answered(runId: string): Promise<void> {
    for (;;) {
      const run = await machine.api.until(runId, 'completed', 'waiting');
      if (run.status === 'waiting') await machine.api.answer(run, { decision: 'done', output: { done: 'pay' }, by: 'Ada' });
      else if ((await keysOf(runId)).some((key) => key)) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  it('with the same key is the same run, with another request it is refused', async () => {
    const { api } = machine;
    const old = await completed([['look_up a'], 'Done.']);
    const [first, second] = await Promise.all([post(old, { at: 3 }, 'key'), post(old, { at: 3 }, 'key')]);
    expect(second.body.run.runId).toBe(first.body.run.runId);
    expect((await post(old, { at: 2 }, 'key')).status).toBe(422);
    await api.until(first.body.run.runId, 'completed');
  });

  it.each([
    [{ at: 99 }, 400, 'at'],
    [{ at: 0 }, 400, 'at'],
    [{ at: 4 }, 400, 'message'],
    [{ at: 5 }, 400, 'message'],
    [{ at: 3, message: ' ' }, 400, 'message'],
  ])('refuses %j', async (body, status, field) => {
    const old = await completed([['look_up a'], 'Done.']);
    expect(await post(old, body)).toMatchObject({ status, body: { field } });
    expect(await machine.api.show(old)).not.toHaveProperty('children');
  });

  it('refuses to branch off from a run that is not over', async () => {
    const { api } = machine;
    const old = await api.start('payer', [['pay_guarded a'], 'Done.']);
    await api.until(old, 'waiting');
    expect(await post(old, { at: 1 })).toMatchObject({ status: 409, body: { detail: expect.stringContaining('cancel it first') } });
    expect(askIn(await api.records(old))).toMatchObject({ kind: 'approval' });
  });
});
