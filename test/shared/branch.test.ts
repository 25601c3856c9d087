import { describe, expect, test } from 'vitest';
import { branchOff, sharedIn } from '../../shared/branch.ts';
import { limitReached } from '../../shared/budget.ts';
import type { Pin } from '../../shared/pin.ts';
import { changedTools, pinNow, servedModels, strangeModel } from '../../shared/pin-now.ts';
import { policy } from '../../shared/policy.ts';
import type { RunRecord } from '../../shared/record.ts';
import { totalsOf } from '../../shared/totals.ts';
import { answering, asking, call, calling, logOf, ok, replying, saying, settling, task } from '../support/log-builder.ts';

const DAY = 24 * 3600_000;
const last = (log: readonly RunRecord[]) => log.at(-1) as RunRecord;
const seconds = (log: readonly RunRecord[]) => (totalsOf(log).activeMs ?? 0) / 1000;
/** A record that comes so long after another, ms. */
const later = (before: RunRecord, ms: number): RunRecord =>
  ({ ...before, type: 'user', seq: before.seq + 1, at: before.at + ms, messages: [] }) as RunRecord;

describe('branchOff()', () => {
  test('shares the records before the branch, and no array with the parent', () => {
    const parent = logOf(task(), calling(call()), settling(ok()), saying('Done'));
    const fork = branchOff(parent, { at: 3, since: 0 });
    expect(fork).toEqual(parent.slice(0, 3));
    expect([sharedIn(parent), sharedIn(fork)]).toEqual([0, 3]);
  });
});

describe('the time of a fork', () => {
  const parent = logOf(task(), calling(call()), settling(ok()), saying('Done'));
  const forked = () => branchOff(parent, { at: 3, since: (parent[2] as RunRecord).at + DAY });

  test('begins with the fork, however long ago its parent was at work', () => {
    const fork = forked();
    expect(seconds(fork)).toBe(2);
    fork.push(later(last(fork), DAY + 1000));
    expect(seconds(fork)).toBe(3);
  });

  test('is held against the limit from then on, before there is a record of its own too', () => {
    const fork = forked();
    const limits = policy.parse({ maxSeconds: 10 });
    const begun = last(fork).at + DAY;
    expect(limitReached(fork, limits, undefined, begun + 7_000)).toBeUndefined();
    expect(limitReached(fork, limits, undefined, begun + 9_000)).toMatchObject({ reason: 'time-limit' });
  });

  test('leaves out what lay before every fork on the way to it', () => {
    const first = forked();
    first.push(later(last(first), DAY + 1000));
    const second = branchOff(first, { at: 4, since: last(first).at + DAY });
    second.push(later(last(second), DAY + 1000));
    expect(seconds(second)).toBe(4);
    const early = branchOff(second, { at: 2, since: 0 });
    expect(seconds(early)).toBe(1);
  });
});

describe('the pin of a fork', () => {
  const today: Pin = { model: 'openai/b', machine: 'm:3', hash: 'h3' };
  const before: Pin = { model: 'openai/a', machine: 'm:2', hash: 'h2' };
  const repin = (pin: Pin) => [
    asking({ kind: 'restart', choices: ['repin', 'abort'] }),
    answering([{ index: 0, decision: 'repin', pin, changedTools: ['pay'] }]),
  ];
  const served = (servedModel: string) => replying({ text: 'Hi', servedModel });
  const parent = logOf(task(), served('a-1'), calling(call()), ...repin(before), settling(ok()), served('b-1'));

  test('is that of its own start, whatever its parent was given', () => {
    const fork = branchOff(parent, { at: 6, since: 0 });
    expect(pinNow(before, parent)).toMatchObject({ machine: 'm:2' });
    expect(pinNow(today, fork)).toEqual(today);
    expect([...changedTools(fork)]).toEqual([]);
  });

  test('has the model that serves its own first reply, and what it is given itself', () => {
    const fork = branchOff(parent, { at: 6, since: 0 });
    fork.push(parent[6] as RunRecord);
    expect(strangeModel(fork)).toBeUndefined();
    expect(servedModels(fork)).toEqual(['b-1']);
    const [, , ...own] = logOf(task(), calling(call()), ...repin(before));
    for (const record of own) fork.push({ ...record, seq: fork.length + 1 } as RunRecord);
    expect(pinNow(today, fork)).toMatchObject({ machine: 'm:2' });
  });
});
