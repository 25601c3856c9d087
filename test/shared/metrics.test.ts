import { describe, expect, test } from 'vitest';
import { figuresOf, figuresOfRunning, figuresOfWaiting, METRICS } from '../../shared/metrics.ts';
import type { RunRecord } from '../../shared/record.ts';
import {
  answering,
  asking,
  askingAboutModel,
  call,
  calling,
  ending,
  logOf,
  replying,
  type Step,
  settling,
  task,
  user,
} from '../support/log-builder.ts';
import { aMeta } from '../support/meta.ts';

const last = (...steps: Step[]) => figuresOf(logOf(...steps).at(-1) as RunRecord);

describe('figuresOf()', () => {
  test('figuresOf() counts runs by their start and their end', () => {
    expect(last(task())).toEqual({ RunsStarted: 1 });
    expect(last(task(), ending('completed'))).toEqual({ RunsCompleted: 1 });
    expect(last(task(), ending('failed'))).toEqual({ RunsFailed: 1 });
    expect(last(task(), ending('cancelled'))).toEqual({ RunsCancelled: 1 });
  });

  test('figuresOf() sums what a reply took: time, tokens, money where the price is known, and tries', () => {
    const spent = { usage: { inputTokens: 1_000_000, outputTokens: 100_000 }, ms: 700, text: 'Done' };
    expect(last(task(), replying({ ...spent, model: 'anthropic/claude-sonnet-5-5', attempts: 3 }))).toEqual({
      Turns: 1,
      ReplyMs: 700,
      Tokens: 1_100_000,
      CostUsd: 3,
      Retries: 2,
    });
    expect(last(task(), replying({ ...spent, model: 'scripted/tester', attempts: 1 }))).toEqual({
      Turns: 1,
      ReplyMs: 700,
      Tokens: 1_100_000,
    });
  });

  test('figuresOf() counts tries at calls beyond their first', () => {
    const calls = calling(call(), call('look'), call('send'));
    expect(last(task(), calls, settling({ attempts: 3 }, { attempts: 0 }, { attempts: 1 }))).toEqual({ Retries: 2 });
    expect(last(task(), calls, settling({ attempts: 1 }, { attempts: 1 }, { attempts: 1 }))).toEqual({});
  });

  test('figuresOf() tells asks that come of a fault from those of a plan', () => {
    expect(last(task(), calling(call()), asking({ kind: 'approval' }))).toEqual({ Asks: 1 });
    expect(last(task(), calling(call()), asking({ kind: 'outcome-unknown' }))).toEqual({ Asks: 1, Escalations: 1 });
    expect(last(task(), askingAboutModel())).toEqual({ Asks: 1, Escalations: 1 });
    expect(last(task(), calling(call()), asking({}), answering('approve'))).toEqual({ Answers: 1 });
    expect(last(task(), user('Hurry'))).toEqual({});
  });
});

const now = 1_000_000;

test('figuresOfRunning() finds the oldest run and the one that is silent for longest, but for those made to wait', () => {
  const runs = [
    aMeta({ createdAt: now - 90_000, seenAt: now - 5_000 }),
    aMeta({ createdAt: now - 40_000, seenAt: now - 40_000, waitUntil: now + 60_000 }),
    aMeta({ createdAt: now - 30_000, seenAt: now - 30_000 }),
  ];
  expect(figuresOfRunning(runs, now)).toEqual({ RunsRunning: 3, OldestUnfinishedSeconds: 90, LongestSilenceSeconds: 30 });
  expect(figuresOfRunning([], now)).toEqual({ RunsRunning: 0, OldestUnfinishedSeconds: 0, LongestSilenceSeconds: 0 });
});

test('figuresOfWaiting() finds the oldest run and the oldest ask', () => {
  const runs = [aMeta({ createdAt: now - 90_000, seenAt: now - 5_000 }), aMeta({ createdAt: now - 40_000, seenAt: now - 39_000 })];
  expect(figuresOfWaiting(runs, now)).toEqual({ RunsWaiting: 2, OldestUnfinishedSeconds: 90, OldestAskSeconds: 39 });
});

test('every figure has a unit that CloudWatch knows', () => {
  for (const unit of Object.values(METRICS)) expect(['Count', 'Seconds', 'Milliseconds', 'None']).toContain(unit);
});
