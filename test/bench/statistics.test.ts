import { expect, it } from 'vitest';
import { median, paceOf, tenthsOf } from '../../bench/statistics.ts';

it('median() takes the middle value', () => {
  expect([median([3, 1, 2]), median([4, 1, 3, 2])]).toEqual([2, 3]);
});

it('paceOf() sees that turns take twice as long at the end', () => {
  const begun = [0];
  for (let turn = 0; turn < 200; turn++) begun.push((begun.at(-1) ?? 0) + (turn < 100 ? 5 : 10));
  expect(paceOf(begun)).toEqual({ first: 5, last: 10, ratio: 2 });
});

it('tenthsOf() compares the median of the last tenth with that of the first', () => {
  expect(tenthsOf([...Array(10).fill(4), ...Array(80).fill(100), ...Array(10).fill(6)])).toEqual({ first: 4, last: 6, ratio: 1.5 });
});
