import { expect, test } from 'vitest';
import { weightOf } from '../../../lambdas/lib/weight.ts';

test('weightOf() counts a byte for each character of a text, and two where one of them is wide', () => {
  const [plain, wide] = ['é'.repeat(100_000), `${'e'.repeat(99_999)}中`];
  expect(weightOf(plain)).toBe(weightOf('') + 100_000);
  expect(weightOf(wide)).toBe(weightOf('') + 200_000);
  expect(weightOf({ a: [plain, { b: wide }, 1, null] })).toBeGreaterThan(300_000);
});
