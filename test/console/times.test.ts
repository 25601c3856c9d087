import { expect, test } from 'vitest';
import { deadline, distance, moment } from '../../console/times.ts';

const at = Date.UTC(2026, 11, 4, 9, 30);

test.each([
  [3 * 86_400_000 + 5, 'in 3 days'],
  [86_400_000, 'in 1 day'],
  [2 * 3_600_000 - 1, 'in 1 hour'],
  [60_000, 'in 1 minute'],
  [59_999, 'in less than a minute'],
  [0, 'just now'],
  [-59_999, 'just now'],
  [-300_000, '5 minutes ago'],
])('distance() of %d ms is "%s"', (ms, words) => {
  expect(distance(at + ms, at)).toBe(words);
});

test('moment() is the same for every reader, and never fails', () => {
  expect(moment(at)).toBe('2026-12-04 09:30 UTC');
  expect(moment(1e300)).toBe('a time beyond all calendars');
});

test('deadline() says until when', () => {
  expect(deadline(at, at - 3 * 86_400_000)).toBe('until 2026-12-04 09:30 UTC (in 3 days)');
  expect(deadline(undefined, at)).toBe('at any time');
});
