import { describe, expect, it } from 'vitest';
import { retryAfterSeconds } from '../../../../lambdas/lib/model/retry-after.ts';

const NOW = Date.parse('2026-11-29T10:00:00.200Z');
const THEN = 'Sun, 29 Nov 2026 10:00:30 GMT';

describe('retryAfterSeconds() reads', () => {
  const cases: [string, Record<string, string>, number | undefined][] = [
    ['whole seconds', { 'retry-after': '7' }, 7],
    ['decimals, rounded up', { 'retry-after': '1.5' }, 2],
    ['a long wait as it is', { 'retry-after': '3600' }, 3600],
    ['blanks around a number', { 'retry-after': ' 7 ' }, 7],
    ['milliseconds, rounded up', { 'retry-after-ms': '1500' }, 2],
    ['milliseconds before seconds', { 'retry-after-ms': '1500', 'retry-after': '60' }, 2],
    ['seconds when the milliseconds are unreadable', { 'retry-after-ms': 'soon', 'retry-after': '60' }, 60],
    ['seconds when the milliseconds are zero', { 'retry-after-ms': '0', 'retry-after': '60' }, 60],
    ['a date against the clock, rounded up', { 'retry-after': THEN }, 30],
    ["a date against the answer's own date", { 'retry-after': THEN, date: 'Sun, 29 Nov 2026 10:00:10 GMT' }, 20],
    ['a date against the clock when the own date is unreadable', { 'retry-after': THEN, date: 'today' }, 30],
    ['nothing from a date that is past', { 'retry-after': 'Sun, 29 Nov 2026 09:00:00 GMT' }, undefined],
    ['nothing from a date that there is not', { 'retry-after': 'Sun, 99 Nov 2026 10:00:30 GMT' }, undefined],
    ['nothing from a word', { 'retry-after': 'soon' }, undefined],
    ['nothing from a negative number', { 'retry-after': '-5' }, undefined],
    ['nothing from zero', { 'retry-after': '0' }, undefined],
    ['nothing from an empty value', { 'retry-after': '' }, undefined],
    ['nothing from an exponent', { 'retry-after': '1e3' }, undefined],
    ['nothing from a number beyond any wait', { 'retry-after': '99999999999' }, undefined],
    ['nothing where there is nothing', {}, undefined],
  ];
  it.each(cases)('%s', (_, headers, seconds) => {
    expect(retryAfterSeconds(headers, NOW)).toBe(seconds);
  });
});
