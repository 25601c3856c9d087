import { expect, it } from 'vitest';
import type { RunRecord } from '../../shared/record.ts';
import { runningFold } from '../../shared/running-fold.ts';
import { calling, logOf, saying, task } from '../support/log-builder.ts';

it('runningFold() looks at each record once, however often it is asked, while the log grows', () => {
  const seen: number[] = [];
  const turns = runningFold(
    () => ({ count: 0 }),
    (state, { seq, type }) => {
      seen.push(seq);
      if (type === 'reply') state.count += 1;
    },
  );
  const log: RunRecord[] = [];
  const counts = logOf(task(), calling(), saying('Done')).map((record) => {
    log.push(record);
    return [turns(log).count, turns(log).count];
  });
  expect(counts).toEqual([
    [0, 0],
    [1, 1],
    [2, 2],
  ]);
  expect(seen).toEqual([1, 2, 3]);
});

it('runningFold() answers for every log by itself', () => {
  const length = runningFold(
    () => ({ count: 0 }),
    (state) => {
      state.count += 1;
    },
  );
  const log = logOf(task(), saying('Done'));
  expect([length(log).count, length(log.slice(0, 1)).count, length([]).count]).toEqual([2, 1, 0]);
});
