import { expect, test } from 'vitest';
import { costOf, hasPrice, PRICES } from '../../shared/prices.ts';

const usage = { inputTokens: 1_000_000, outputTokens: 100_000 };
const cached = { ...usage, cacheReadTokens: 500_000, cacheWriteTokens: 100_000 };

test('costOf() adds up input and output at the list price', () => {
  expect(costOf('anthropic/claude-sonnet-5-5', usage)).toBe(3);
});

test('costOf() prices what the cache read and wrote apart, as the model has it', () => {
  expect(costOf('anthropic/claude-sonnet-5', cached)).toBeCloseTo(0.8 + 0.1 + 0.25 + 1, 9);
  expect(costOf('anthropic/claude-sonnet-5-5', cached)).toBeCloseTo(0.8 + 0.05 + 0.25 + 1, 9);
  expect(costOf('anthropic/claude-fable-5-1', cached)).toBeCloseTo(4 + 0.125 + 1.25 + 5, 9);
});

test('costOf() prices a long prompt at its own tariff, and does not guess one that it does not know', () => {
  const prompt = (inputTokens: number) => ({ inputTokens, outputTokens: 10_000 });
  expect(costOf('anthropic/claude-haiku-5-5', prompt(100_000))).toBeCloseTo(0.01 + 0.005, 9);
  expect(costOf('anthropic/claude-haiku-5-5', prompt(100_001))).toBeCloseTo(0.0500005 + 0.025, 9);
  expect(costOf('openai/gpt-6-sol', prompt(272_000))).toBeCloseTo(0.544 + 0.1, 9);
  expect(costOf('openai/gpt-6-sol', prompt(272_001))).toBeUndefined();
});

test("costOf() takes an agent's own price before the list's, its cache at the price of other input unless it says more", () => {
  expect(costOf('anthropic/claude-sonnet-5-5', cached, { input: 1, output: 2 })).toBeCloseTo(1.2, 9);
  expect(costOf('openai-compatible/llama', cached, { input: 1, output: 2, cacheRead: 0, cacheWrite: 3 })).toBeCloseTo(0.4 + 0.3 + 0.2, 9);
});

test('costOf() knows no price of an unknown model, and that a script costs nothing', () => {
  expect(costOf('openai-compatible/llama', usage)).toBeUndefined();
  expect(costOf('openai/constructor', usage)).toBeUndefined();
  expect(costOf('scripted/refund-desk', usage)).toBe(0);
});

test('costOf() adds up without the noise of binary fractions', () => {
  expect(costOf('anthropic/claude-sonnet-5-5', { inputTokens: 3, outputTokens: 0, cacheReadTokens: 3 })).toBe(0.0000003);
});

test('hasPrice() tells whether a budget in money can be checked', () => {
  expect(hasPrice('anthropic/claude-opus-5-5')).toBe(true);
  expect(hasPrice('scripted/desk')).toBe(true);
  expect(hasPrice('openai-compatible/llama')).toBe(false);
  expect(hasPrice('openai-compatible/llama', { input: 1, output: 1 })).toBe(true);
});

test.each(Object.entries(PRICES))('the price of %s says where it is from, and as of when', (_, { source }) => {
  expect(source.page).toMatch(/^[a-z.]+\.com, "Pricing"/);
  expect(new Date(source.at).toISOString().slice(0, 10)).toBe(source.at);
});
