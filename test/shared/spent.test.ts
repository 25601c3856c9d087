import { expect, test } from 'vitest';
import { NOTHING_SPENT, spentBy, sumOf, withRequest } from '../../shared/spent.ts';

const totals = { turns: 2, inputTokens: 100, outputTokens: 10, cacheReadTokens: 50, cacheWriteTokens: 5, costUsd: 0.5, activeMs: 9 };
const request = { model: 'openai-compatible/any', usage: { inputTokens: 7, outputTokens: 3, cacheReadTokens: 1 } };

test('withRequest() adds a request that is no turn, at its price if that is known', () => {
  const { costUsd: _, ...counted } = totals;
  const more = { inputTokens: 107, outputTokens: 13, cacheReadTokens: 51 };
  expect(withRequest(totals, { ...request, costUsd: 0.25 })).toEqual({ ...totals, ...more, costUsd: 0.75 });
  expect(withRequest(counted, request)).toEqual({ ...counted, ...more, unpriced: 1 });
});

test('spentBy() counts turns and summaries', () => {
  expect(spentBy({ totals })).toBe(totals);
  const spent = withRequest(NOTHING_SPENT, { ...request, costUsd: 0.25 });
  expect(spentBy({ totals, summary: { seq: 9, version: 1, since: 12, spent } })).toEqual(sumOf(totals, spent));
  expect(sumOf(totals, spent)).toMatchObject({ turns: 2, inputTokens: 107, costUsd: 0.75, activeMs: 9 });
});
