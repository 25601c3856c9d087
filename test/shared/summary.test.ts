import { expect, test } from 'vitest';
import { runSummary, shownSummary } from '../../shared/api.ts';
import { shownSummaryOf, summaryOf } from '../../shared/summary.ts';
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

const spent = { turns: 0, inputTokens: 900, outputTokens: 80, cacheReadTokens: 0, cacheWriteTokens: 0 };

test('summaryOf() counts what summaries have cost, and says how far the view is summed up', () => {
  const summary = { seq: 9, version: 1, since: 12, spent };
  expect(summaryOf(aMeta({ summary }))).toMatchObject({ totals: spent, summarizedTo: 9 });
  expect(summaryOf(aMeta({ summary: { ...summary, seq: 0 } }))).not.toHaveProperty('summarizedTo');
});

test('shownSummaryOf() says which summary the view starts from', () => {
  const stored = {
    v: 1 as const,
    seq: 9,
    version: 2,
    at: 1,
    after: 1,
    text: 'x',
    facts: '',
    model: 'scripted/tester',
    usage: { inputTokens: 900, outputTokens: 80 },
    ms: 1,
    attempts: 1,
    tokens: 1,
    replacedTokens: 99,
    spent,
  };
  const meta = aMeta({ summary: { seq: 9, version: 2, since: 12, spent } });
  expect(shownSummaryOf(meta, stored).current).toBe(true);
  expect(shownSummaryOf(meta, { ...stored, version: 1 }).current).toBe(false);
  expect(shownSummaryOf(meta, { ...stored, discarded: { by: 'Ann', at: 1 } }).current).toBe(false);
  expect(shownSummaryOf(aMeta(), stored).current).toBe(false);
  expect(shownSummary.strict().parse(shownSummaryOf(meta, stored))).not.toHaveProperty('spent');
});
