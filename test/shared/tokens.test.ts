import { expect, test } from 'vitest';
import { tokensOf } from '../../shared/tokens.ts';

test('tokensOf() takes four ASCII characters for one token, and every other character for one', () => {
  expect(tokensOf('')).toBe(0);
  expect(tokensOf('abc')).toBe(1);
  expect(tokensOf('abcde')).toBe(2);
  expect(tokensOf('返金')).toBe(2);
  expect(tokensOf('ab返金')).toBe(3);
});
