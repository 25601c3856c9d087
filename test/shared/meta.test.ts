import { describe, expect, test } from 'vitest';
import { meta } from '../../shared/meta.ts';
import { aMeta } from '../support/meta.ts';

describe('meta', () => {
  test('meta reads what a run stores, with and without what is optional', () => {
    const full = { ...aMeta(), inbox: new Set(['m1']), waiting: { seq: 3, kind: 'approval' as const }, cancel: { at: 1, by: 'Ann' } };
    expect(meta.parse(aMeta())).toEqual(aMeta());
    expect(meta.parse(full)).toEqual(full);
  });

  test.each([
    ['v', 2],
    ['status', 'paused'],
    ['segment', 0],
    ['epoch', -1],
    ['attempts', 0.5],
    ['policy', { maxTurns: 0 }],
    ['inbox', ['m1']],
    ['waiting', { seq: 3, kind: 'maybe' }],
    ['totals', undefined],
  ])('meta refuses a wrong %s', (field, value) => {
    expect(meta.safeParse({ ...aMeta(), [field]: value }).error?.issues[0]?.path[0]).toBe(field);
  });
});
