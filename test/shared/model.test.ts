import { expect, test } from 'vitest';
import { providerCallId } from '../../shared/model.ts';

test('providerCallId() names each call of a run, in letters that every provider takes', () => {
  const ids = [1, 2, 11, 12].flatMap((seq) => [0, 1, 11].map((index) => providerCallId(seq, index)));
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,40}$/);
});
