import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { filesIn } from '../../shared/file.ts';
import type { Json } from '../../shared/json.ts';
import { type Machine, startMachine } from '../support/machine.ts';
import { placesWith, storesOf } from '../support/stores.ts';

const ADA = 'ada@example.test';

let machine: Machine;
beforeAll(async () => {
  machine = await startMachine(new URL('./erase-agents.ts', import.meta.url), { sweepMs: 200 });
});
afterAll(() => machine?.stop());

const start = (agent: string, tools: string[], key?: string) => machine.api.start(agent, { who: ADA, tools }, key);
const erased = (runId: string) =>
  vi.waitFor(
    async () => expect(await machine.api.show(runId)).toMatchObject({ status: 'erased', erased: { doneAt: expect.any(Number) } }),
    { timeout: 20_000 },
  );
const removals = async () => [...(await storesOf(machine)).keys()].filter((place) => place.startsWith('Runs REMOVALS'));

describe('a run whose agent says how long it is kept', () => {
  it('is removed that long after its end, blobs and mails too, and leaves a tombstone and what guards against repeats', async () => {
    const runId = await start('forgetful', ['look_up', 'give_asked', 'give_keyed'], 'kept for a second');
    const run = await machine.api.until(runId, 'waiting');
    await vi.waitFor(async () => expect((await placesWith(machine, runId)).some((place) => place.startsWith('outbox'))).toBe(true), {
      timeout: 10_000,
    });
    expect(run.removeAt).toBeUndefined();
    await machine.api.answer(run, { decision: 'approve' });
    await erased(runId);
    await vi.waitFor(async () => expect(await placesWith(machine, ADA)).toEqual([]), { timeout: 10_000 });
    const left = (await placesWith(machine, runId)).filter((place) => !place.startsWith('logs') && !place.startsWith('execution'));
    expect(left.filter((place) => !/ (META|[RENWCS]#\S*)$|^Runs (KEY|START)#|^Runs REMOVALS/.test(place))).toEqual([]);
    expect(await machine.api.show(runId)).toMatchObject({ reason: 'erased by retention' });
    const before = machine.world.applied.length;
    const again = await machine.api.call(
      'POST',
      '/runs',
      { agent: 'forgetful', input: { who: ADA, tools: ['give'] } },
      { 'idempotency-key': 'kept for a second' },
    );
    expect(again.status).toBe(410);
    await machine.api.until(await start('giver', ['give_keyed']), 'completed');
    expect(machine.world.applied).toHaveLength(before);
  });

  it('is kept while it waits, and when a message opens it again', async () => {
    const waiting = await start('forgetful', ['give_asked']);
    await machine.api.until(waiting, 'waiting');
    const reopened = await start('patient', []);
    await machine.api.until(reopened, 'completed');
    const first = (await machine.api.show(reopened)).removeAt as number;
    await machine.api.call('POST', `/runs/${reopened}/messages`, { text: 'wait' });
    const later = async () => expect((await machine.api.show(reopened)).removeAt).toBeGreaterThan(first);
    await vi.waitFor(later, { timeout: 20_000 });
    expect(await machine.api.show(waiting)).toMatchObject({ status: 'waiting' });
    await machine.api.call('POST', `/runs/${waiting}/cancel`, {});
    await erased(waiting);
  });

  it('is kept for as long as a fork shares its records, and not longer', async () => {
    const { api } = machine;
    const runId = await start('forgetful', ['draw', 'give_asked']);
    await api.until(runId, 'waiting');
    await api.call('POST', `/runs/${runId}/cancel`, {});
    const { removeAt = 0 } = await api.until(runId, 'cancelled');
    const forked = await api.call<{ run: { runId: string } }>('POST', `/runs/${runId}/fork`, { at: 3 });
    const fork = forked.body.run.runId;
    const planned = async () =>
      (await removals()).filter((place) => place.includes(runId)).map((place) => Number(/\d{15}/.exec(place)?.[0]));
    await vi.waitFor(async () => expect(Math.min(...(await planned()))).toBeGreaterThan(removeAt + 60_000), { timeout: 20_000 });
    const waiting = await api.until(fork, 'waiting');
    const [file] = filesIn((await api.records(fork))[2] as unknown as Json);
    expect((await fetch(`${machine.host.url}/runs/${fork}/files/${file?.sha256}`)).status).toBe(200);
    await api.answer(waiting, { decision: 'approve' });
    await erased(fork);
    await erased(runId);
  });

  it('is one for which nothing is planned where nobody says how long', async () => {
    const before = await removals();
    const runId = await start('giver', []);
    expect((await machine.api.until(runId, 'completed')).removeAt).toBeUndefined();
    expect((await removals()).filter((place) => place.includes(runId))).toEqual([]);
    expect(before.filter((place) => place.includes(runId))).toEqual([]);
  });
});

describe('a deployment that says how long runs are kept', () => {
  it('is obeyed where the agent does not say', async () => {
    const other = await startMachine(new URL('./erase-agents.ts', import.meta.url), {
      sweepMs: 200,
      environment: { HOLDFAST_RETENTION_DAYS: '0.00001' },
    });
    const runId = await other.api.start('giver', { who: ADA, tools: ['give'] });
    await vi.waitFor(async () => expect(await other.api.show(runId)).toMatchObject({ status: 'erased' }), { timeout: 20_000 });
    await other.stop();
  });
});
