import { expect, test } from 'vitest';
import { inWords, raiseFault } from '../../shared/raise.ts';

test('inWords() names an amount with its unit', () => {
  expect([
    inWords('turns', 1),
    inWords('tokens', 12_000),
    inWords('seconds', 60),
    inWords('costUsd', 1.5),
    inWords('costUsd', 0.00012),
  ]).toEqual(['1 turn', '12,000 tokens', '60 seconds', '$1.5', '$0.00012']);
});

test('raiseFault() takes what is enough and not too much, in whole numbers but for money', () => {
  const turns = { unit: 'turns', least: 2, most: 20 } as const;
  const fault = (amount: number) => raiseFault(turns, amount);
  expect([2, 20].map(fault)).toEqual([undefined, undefined]);
  expect([1, 21, 2.5, Number.NaN, Number.POSITIVE_INFINITY].map(fault)).toEqual([
    'the limit must be raised by 2 turns at least: less is not enough for the next step',
    'the limit is raised by 20 turns at most; it can be raised again',
    'the amount must be a whole number of turns',
    'the amount must be a whole number of turns',
    'the amount must be a whole number of turns',
  ]);
  expect(raiseFault({ unit: 'costUsd', least: 0.01, most: 1 }, 0.5)).toBeUndefined();
});

test('raiseFault() says an amount that is enough, and inWords() one that can be seen', () => {
  const said = (least: number) => /by \$([\d.]+) at least/.exec(raiseFault({ unit: 'costUsd', least, most: 100 }, 0) ?? '')?.[1];
  expect([0.01, 0.07, 1.234, 0.0120000001, 1e-10].map(said)).toEqual(['0.01', '0.07', '1.24', '0.012001', '0.0000000001']);
  for (const least of [0.01, 0.07, 1.234, 0.0120000001, 1e-10]) expect(Number(said(least))).toBeGreaterThanOrEqual(least);
  expect([0, 0.00000012, 0.00002].map((amount) => inWords('costUsd', amount))).toEqual(['$0', '$0.00000012', '$0.00002']);
});
