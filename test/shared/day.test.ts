import { expect, test } from 'vitest';
import { type DaySpend, dayLimitReached, daySpend, dayTotalsOf, roomFor, shareOf } from '../../shared/day.ts';

const aDay = (more: Partial<DaySpend> = {}): DaySpend => daySpend.parse({ v: 1, agent: 'desk', day: '2026-11-30', ...more });
const share = { runs: 0, tokens: 100, costUsd: 0.5 };

test('shareOf() counts a run with its first step, and no cost where none is known', () => {
  expect(shareOf({ tokens: 10, costUsd: 2 }, true)).toEqual({ runs: 1, tokens: 10, costUsd: 2 });
  expect(shareOf({ tokens: 10 }, false)).toEqual({ runs: 0, tokens: 10, costUsd: 0 });
});

test('roomFor() looks at the limits that there are, and that a step counts against', () => {
  expect(roomFor({}, share)).toEqual([]);
  expect(roomFor({ runs: 2, tokens: 250, costUsd: 0.5 }, share)).toEqual([
    { unit: 'tokens', most: 150 },
    { unit: 'costUsd', most: 0 },
  ]);
  expect(roomFor({ runs: 2 }, { ...share, runs: 1 })).toEqual([{ unit: 'runs', most: 1 }]);
});

test('dayLimitReached() asks about the first limit that would be overdrawn, with what was spent and what was raised', () => {
  const limits = { tokens: 250, costUsd: 5 };
  expect(dayLimitReached(aDay({ usedTokens: 150 }), limits, share)).toBeUndefined();
  const ask = dayLimitReached(aDay({ usedTokens: 160, raisedTokens: 40 }), limits, share);
  expect(ask).toMatchObject({ kind: 'escalation', reason: 'day-limit' });
  expect(ask?.questions[0]?.budget).toMatchObject({ unit: 'tokens', limit: 290, spent: 200, least: 10, by: 250, day: '2026-11-30' });
  expect(dayLimitReached(aDay({ usedCostUsd: 4.6 }), limits, share)?.questions[0]?.budget).toMatchObject({ unit: 'costUsd' });
});

test('dayTotalsOf() shows the limits as they were raised, and no cost while one is not known', () => {
  const day = aDay({ runs: 2, turns: 5, inputTokens: 10, outputTokens: 3, costUsd: 0.5, raisedRuns: 1 });
  expect(dayTotalsOf(day, { runs: 2, tokens: 100 })).toEqual({
    day: '2026-11-30',
    runs: 2,
    totals: { turns: 5, inputTokens: 10, outputTokens: 3, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 0.5 },
    costUsd: 0.5,
    limits: { runs: 3, tokens: 100 },
  });
  expect(dayTotalsOf({ ...day, unpriced: 1 }, {})).not.toHaveProperty('costUsd');
});
