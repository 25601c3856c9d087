import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Draft, Results } from '../../../shared/record.ts';
import { openTables } from '../../support/tables.ts';

let tables: Awaited<ReturnType<typeof openTables>>;
let store: typeof import('../../../lambdas/lib/log-store.ts');
beforeAll(async () => {
  tables = await openTables();
  store = await import('../../../lambdas/lib/log-store.ts');
});
afterAll(() => tables?.close());

let runs = 0;
const newRun = () => `01ARZ3NDEKTSV4RRFFQ69G5${String(runs++).padStart(3, '0')}`;
const results = (output: string): Draft<Results> => ({ type: 'results', reply: 1, results: [{ index: 0, ok: true, output, attempts: 1 }] });
const task = { type: 'task', agent: 'a', input: 'go' } as const;

describe('append()', () => {
  it('keeps the first record at a place and adopts it, whoever comes second', async () => {
    const runId = newRun();
    const first = await store.appendAt(runId, 1, results('shipped'));
    const second = await store.appendAt(runId, 1, results('changed'));
    expect(second).toEqual(first);
    expect(await store.recordsAfter({ runId }, 0, 10)).toEqual([first]);
  });

  it('gives one winner among many at the same moment', async () => {
    const runId = newRun();
    const all = await Promise.all(Array.from({ length: 6 }, (_, i) => store.appendAt(runId, 1, results(`writer ${i}`))));
    expect(new Set(all.map((record) => JSON.stringify(record))).size).toBe(1);
  });
});

describe('readLog()', () => {
  it('returns records by their seq, whatever their clocks say', async () => {
    const runId = newRun();
    await store.appendAt(runId, 1, task);
    await store.appendAt(runId, 2, results('two'));
    expect((await store.readLog(runId)).map(({ seq }) => seq)).toEqual([1, 2]);
    await store.appendAt(runId, 3, results('three'));
    expect((await store.readLog(runId)).map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });

  it('reads a log of several pages', async () => {
    const runId = newRun();
    const long = Array.from({ length: 60_000 }, (_, i) => String.fromCharCode(0x4e00 + ((i * 7919) % 20_000))).join('');
    for (let seq = 1; seq <= 12; seq++) await store.appendAt(runId, seq, results(`${seq}${long}`));
    const log = await store.readLog(runId);
    expect(log).toHaveLength(12);
    expect((log[11] as Results).results[0]?.output).toBe(`12${long}`);
  });
});

describe('cachedLogs()', () => {
  it('is bounded by bytes: the oldest runs are forgotten, and one that is too large by itself', async () => {
    const large = newRun();
    for (let seq = 1; seq <= 5; seq++) await store.appendAt(large, seq, results(`${seq}${'x'.repeat(24_000_000)}`));
    const small = newRun();
    await store.appendAt(small, 1, task);
    await store.readLog(small);
    expect(store.cachedLogs().runs).toContain(small);
    expect(await store.readLog(large)).toHaveLength(5);
    expect(store.cachedLogs().runs).not.toContain(large);
    expect(store.cachedLogs().bytes).toBeLessThan(100_000_000);
    expect(store.roomIn(large, await store.readLog(large))).toBeLessThan(80_000_000);
  });
});
