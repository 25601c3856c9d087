import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PAGE_BYTES } from '../../../lambdas/lib/page-bytes.ts';
import { NOTHING_SPENT } from '../../../shared/spent.ts';
import type { ViewSummary } from '../../../shared/view-summary.ts';
import { openTables } from '../../support/tables.ts';

let tables: Awaited<ReturnType<typeof openTables>>;
let store: typeof import('../../../lambdas/lib/summary-store.ts');
beforeAll(async () => {
  tables = await openTables();
  store = await import('../../../lambdas/lib/summary-store.ts');
});
afterAll(() => tables?.close());

const aSummary = (seq: number, more: Partial<ViewSummary> = {}): ViewSummary => ({
  v: 1,
  seq,
  version: 1,
  at: 1,
  after: 1,
  text: `Up to ${seq}.`,
  facts: '',
  model: 'scripted/x',
  usage: { inputTokens: 1, outputTokens: 1 },
  ms: 1,
  attempts: 1,
  tokens: 3,
  replacedTokens: 90,
  spent: NOTHING_SPENT,
  ...more,
});

describe('newestSummary()', () => {
  it('is the newest that is not thrown away, below a seq where one is given, however many are thrown away', async () => {
    const runId = 'newest';
    expect(await store.newestSummary(runId)).toBeUndefined();
    for (let seq = 3; seq <= 51; seq += 2) await store.putSummary(runId, aSummary(seq));
    expect((await store.newestSummary(runId))?.seq).toBe(51);
    expect((await store.newestSummary(runId, 51))?.seq).toBe(49);
    for (let seq = 51; seq >= 9; seq -= 2) await store.markDiscarded(runId, { seq, version: 1 }, 'Ada');
    expect((await store.newestSummary(runId))?.seq).toBe(7);
    expect(await store.newestSummary(runId, 3)).toBeUndefined();
  });
});

describe('summariesBefore()', () => {
  it('gives as many of the newest as fit into an answer, and says where the older ones begin', async () => {
    const runId = 'pages';
    const facts = randomBytes(150_000).toString('hex');
    for (let seq = 3; seq <= 41; seq += 2) await store.putSummary(runId, aSummary(seq, { facts }));
    const newest = await store.summariesBefore(runId);
    expect(newest.summaries.map(({ seq }) => seq)).toEqual([17, 19, 21, 23, 25, 27, 29, 31, 33, 35, 37, 39, 41]);
    expect(Buffer.byteLength(JSON.stringify(newest))).toBeLessThan(PAGE_BYTES + 1_000);
    const older = await store.summariesBefore(runId, newest.before);
    expect(older.summaries.map(({ seq }) => seq)).toEqual([3, 5, 7, 9, 11, 13, 15]);
    expect(older).not.toHaveProperty('before');
  });
});
