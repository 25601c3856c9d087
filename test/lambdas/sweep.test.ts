import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { effectKey } from '../../shared/tables.ts';
import { call, calling } from '../support/log-builder.ts';
import { aMeta } from '../support/meta.ts';
import { openTables } from '../support/tables.ts';

let tables: Awaited<ReturnType<typeof openTables>>;
const load = async () => ({
  ...(await import('../../lambdas/lib/callback-store.ts')),
  ...(await import('../../lambdas/lib/log-store.ts')),
  ...(await import('../../lambdas/lib/meta-store.ts')),
  ...(await import('../../lambdas/sweep.ts')),
});
let stores: Awaited<ReturnType<typeof load>>;
beforeAll(async () => {
  tables = await openTables();
  stores = await load();
});
afterAll(() => tables?.close());

const idOf = (place: number) => `01ARZ3NDEKTSV4RRFFQ6${String(place).padStart(6, '0')}`;
const waiting = (place: number, more = {}) =>
  stores.createMeta(
    aMeta({ runId: idOf(place), status: 'waiting', waiting: { seq: 3, kind: 'callback' }, createdAt: Date.now(), ...more }),
  );

/** A run that waits for a result, which was posted and not delivered. */
async function undelivered(place: number) {
  const [runId, key] = [idOf(place), effectKey(idOf(place), 2, 0)];
  await stores.appendAt(runId, 1, { type: 'task', agent: 'tester', input: null });
  await stores.appendAt(runId, 2, calling(call()));
  const question = { kind: 'callback' as const, index: 0, key, text: 'Well?', choices: ['result' as const] };
  await stores.appendAt(runId, 3, { type: 'ask', kind: 'callback', reason: 'callback', reply: 2, questions: [question] });
  await stores.openCallback(key, 'hash');
  await stores.keepPosted(key, { ok: true, output: place, postedAt: 1 });
  await waiting(place);
}

const answersOf = async (place: number) => (await stores.readLog(idOf(place))).filter(({ type }) => type === 'answer');

describe('a sweep', () => {
  it('looks after every run that waits, however many newer ones do', async () => {
    await undelivered(0);
    for (let i = 1; i <= 1000; i += 50) await Promise.all(Array.from({ length: 50 }, (_, j) => waiting(i + j)));
    await stores.handler();
    expect(await answersOf(0)).toHaveLength(1);
  });

  it('wakes those who wait, also when a forgotten run cannot be started', async () => {
    await undelivered(2000);
    await stores.createMeta(aMeta({ runId: idOf(3000), createdAt: 1 }));
    await stores.handler();
    expect(await answersOf(2000)).toHaveLength(1);
  });
});
