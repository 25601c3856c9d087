import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTables } from '../../support/tables.ts';

let tables: Awaited<ReturnType<typeof openTables>>;
let store: typeof import('../../../lambdas/lib/day-store.ts');
beforeAll(async () => {
  tables = await openTables();
  store = await import('../../../lambdas/lib/day-store.ts');
});
afterAll(() => tables?.close());

const day = '2026-11-30';
const share = { runs: 1, tokens: 100, costUsd: 0.1 };
const took = { turns: 1, inputTokens: 60, outputTokens: 20, cacheReadTokens: 5, cacheWriteTokens: 0, costUsd: 0.07 };

describe('readDay()', () => {
  it('is nothing where nothing was spent', async () => {
    expect(await store.readDay({ agent: 'idle', day })).toMatchObject({ agent: 'idle', day, runs: 0, turns: 0, usedTokens: 0, costUsd: 0 });
  });
});

describe('reserve() and settle()', () => {
  it('hold a share until what was taken stands in its place', async () => {
    const of = { agent: 'one', day };
    expect(await store.reserve(of, 'r#1', share, {})).toMatchObject({ usedTokens: 100, usedCostUsd: 0.1, usedRuns: 1, turns: 0 });
    await store.settle(of, 'r#1', share, took, true);
    const now = await store.readDay(of);
    expect(now).toMatchObject({ usedTokens: 80, usedRuns: 1, runs: 1, turns: 1, inputTokens: 60, outputTokens: 20, cacheReadTokens: 5 });
    expect([now.usedCostUsd, now.costUsd]).toEqual([0.07, 0.07]);
    expect(now.steps).toBeUndefined();
  });

  it('count a step once, however often they are asked', async () => {
    const of = { agent: 'again', day };
    const reserved = await Promise.all(Array.from({ length: 4 }, () => store.reserve(of, 'r#1', share, { tokens: 1000 })));
    expect(reserved.filter((each) => each !== undefined)).toHaveLength(1);
    await Promise.all(Array.from({ length: 4 }, () => store.settle(of, 'r#1', share, took, true)));
    expect(await store.readDay(of)).toMatchObject({ usedTokens: 80, runs: 1, turns: 1 });
  });

  it('give back what a step did not take', async () => {
    const of = { agent: 'none', day };
    const nothing = { turns: 0, inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
    await store.reserve(of, 'r#1', share, {});
    await store.settle(of, 'r#1', share, nothing, true);
    expect(await store.readDay(of)).toMatchObject({ usedTokens: 0, usedCostUsd: 0, usedRuns: 0, runs: 0, turns: 0 });
  });

  it('let no more in than there is room for, whoever comes at the same moment', async () => {
    const of = { agent: 'many', day };
    const tries = await Promise.all(
      Array.from({ length: 12 }, (_, n) => store.reserve(of, `r${n}#1`, { runs: 0, tokens: 100, costUsd: 0 }, { tokens: 450 })),
    );
    expect(tries.filter((each) => each !== undefined)).toHaveLength(4);
    expect(await store.readDay(of)).toMatchObject({ usedTokens: 400 });
  });

  it('hold a share against each limit that it counts against, and against no other', async () => {
    const of = { agent: 'limits', day };
    expect(await store.reserve(of, 'a#1', share, { costUsd: 0.09 })).toBeUndefined();
    expect(await store.reserve(of, 'a#1', share, { costUsd: 0.1, runs: 1, tokens: 100 })).toBeDefined();
    expect(await store.reserve(of, 'b#1', share, { runs: 1 })).toBeUndefined();
    expect(await store.reserve(of, 'b#5', { ...share, runs: 0 }, { runs: 1 })).toBeDefined();
  });
});

describe('raiseDay()', () => {
  it('makes room once for each ask, and keeps what was spent', async () => {
    const of = { agent: 'raised', day };
    await store.reserve(of, 'a#1', share, { tokens: 100 });
    await store.settle(of, 'a#1', share, took, true);
    expect(await store.reserve(of, 'b#1', share, { tokens: 100 })).toBeUndefined();
    for (let i = 0; i < 3; i++) await store.raiseDay(of, 'ask-1', 'tokens', 80);
    expect(await store.readDay(of)).toMatchObject({ usedTokens: 0, raisedTokens: 80, inputTokens: 60 });
    expect(await store.reserve(of, 'b#1', share, { tokens: 100 })).toBeDefined();
  });
});

describe('dayOf()', () => {
  it('changes at midnight, UTC', () => {
    const midnight = Date.UTC(2026, 11, 1);
    expect([store.dayOf(midnight - 1), store.dayOf(midnight)]).toEqual(['2026-11-30', '2026-12-01']);
  });
});
