import { describe, expect, test } from 'vitest';
import { plainLength, tokensOf } from '../../shared/tokens.ts';

test('tokensOf() takes four characters of plain text for one token, and every character beyond ASCII for one', () => {
  expect(tokensOf('')).toBe(0);
  expect(tokensOf('abc')).toBe(1);
  expect(tokensOf('abcde')).toBe(2);
  expect(tokensOf('返金')).toBe(2);
  expect(tokensOf('ab返金')).toBe(3);
  expect([plainLength('a b\n'), plainLength('B'), plainLength('7:'), plainLength('é')]).toEqual([4, 3, 5, 4]);
});

describe('tokensOf()', () => {
  // Each text with its tokens by o200k_base and by cl100k_base, counted once with gpt-tokenizer 3.
  test.each([
    [
      'prose',
      'A run is a log of immutable records. One pure function reads the log and says what happens next: ask the model, run the tools, ask a person, wait, or end.',
      38,
      38,
    ],
    [
      'code',
      'for (const end of groupEnds(log, goal)) {\n  const text = log.slice(through, end).map((record) => linesOf(log, record));\n  if (left < 0 && texts.length > 0) break;\n}',
      51,
      52,
    ],
    ['JSON', '{"id":"ord_5f1c09ab27de","amount":417.2093,"at":"2023-11-14T22:13:20.000Z","ok":true}', 43, 43],
    [
      'base64',
      'iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg',
      65,
      66,
    ],
    ['ids', '3f2b8c1e-9d47-4a6b-b0c5-71e2d8f4a913 c0ffee12-5d3a-4e8f-9b7c-2a1d6e4f8b30', 62, 62],
    ['Chinese', '客户要求退款，因为商品在运输途中损坏。我们已经联系了物流公司，正在等待他们的答复。', 25, 40],
    ['Japanese', 'お客様は返金を希望しています。商品は配送中に破損しました。', 19, 32],
    ['emoji', '🎉🚀👩‍💻🔥✅🍕🌍', 15, 24],
  ] as const)('tokensOf() of %s is within what tokenizers count, by less than a factor of two', (_, sample, newer, older) => {
    const estimate = tokensOf(sample);
    for (const tokens of [newer, older]) {
      expect(estimate).toBeGreaterThan(tokens / 2);
      expect(estimate).toBeLessThan(tokens * 2);
    }
  });
});
