import { expect, test } from 'vitest';
import { costOf } from '../../shared/prices.ts';

const tokens = { inputTokens: 1_000_000, outputTokens: 100_000, cacheReadTokens: 0, cacheWriteTokens: 0 };

test('costOf() adds up input and output at the list price', () => {
  expect(costOf('anthropic/claude-sonnet-5-5', tokens)).toBeCloseTo(3);
});

test('costOf() prices what the cache read and wrote apart', () => {
  expect(costOf('anthropic/claude-sonnet-5-5', { ...tokens, cacheReadTokens: 500_000, cacheWriteTokens: 100_000 })).toBeCloseTo(
    0.8 + 0.1 + 0.25 + 1,
  );
});

test('costOf() knows no price of an unknown model', () => {
  expect(costOf('scripted/refund-desk', tokens)).toBeUndefined();
});
