import { expect, test } from 'vitest';
import { runSummary } from '../../shared/api.ts';
import { summaryOf } from '../../shared/summary.ts';
import { RUN_ID } from '../support/log-builder.ts';
import { aMeta } from '../support/meta.ts';

test('summaryOf() shows a run as the API describes it', () => {
  for (const meta of [
    aMeta(),
    aMeta({ status: 'waiting', waiting: { seq: 3, kind: 'approval' }, waitUntil: 5, cancel: { at: 1, by: 'Ann' } }),
  ])
    expect(runSummary.parse(summaryOf(meta))).toEqual(summaryOf(meta));
});

test('summaryOf() shows a wait and an open ask only where there is one', () => {
  expect(Object.keys(summaryOf(aMeta()))).not.toEqual(expect.arrayContaining(['waitUntil', 'ask', 'cancelling']));
  expect(summaryOf(aMeta({ waitUntil: 5, waiting: { seq: 3, kind: 'escalation' } }))).toMatchObject({
    waitUntil: 5,
    ask: { id: `${RUN_ID}-3`, kind: 'escalation' },
  });
});

test('summaryOf() shows that a run is being cancelled until it has ended, however it ended', () => {
  const cancelling = (status: 'running' | 'waiting' | 'interrupted' | 'completed' | 'failed' | 'cancelled') =>
    summaryOf(aMeta({ status, cancel: { at: 1, by: 'Ann' } })).cancelling;
  expect([cancelling('running'), cancelling('waiting'), cancelling('interrupted')]).toEqual([true, true, true]);
  expect([cancelling('completed'), cancelling('failed'), cancelling('cancelled')]).toEqual([undefined, undefined, undefined]);
});
