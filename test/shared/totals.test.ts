import { describe, expect, test } from 'vitest';
import type { RunRecord } from '../../shared/record.ts';
import { costOfReply, totalsOf } from '../../shared/totals.ts';
import {
  answering,
  asking,
  askingAboutBudget,
  askingAboutModel,
  call,
  calling,
  ending,
  guarded,
  lastReply,
  logOf,
  ok,
  raising,
  replying,
  type Step,
  saying,
  settling,
  task,
  user,
} from '../support/log-builder.ts';

const NOTHING = { turns: 0, inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 0, activeMs: 0 };
const seconds = (...steps: Step[]) => (totalsOf(logOf(...steps)).activeMs ?? 0) / 1000;

describe('totalsOf()', () => {
  test('totalsOf() sums turns, tokens and cost', () => {
    const usage = { inputTokens: 1_000_000, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 };
    const priced = replying({ text: 'Done', usage, costUsd: 0.25 });
    expect(totalsOf(logOf(task(), saying(''), priced))).toEqual({
      turns: 2,
      inputTokens: 1_000_010,
      outputTokens: 7,
      cacheReadTokens: 3,
      cacheWriteTokens: 4,
      costUsd: 0.25,
      activeMs: 2000,
    });
    expect(totalsOf([])).toEqual(NOTHING);
  });

  test('totalsOf() counts the replies whose price is not known', () => {
    const unknown = replying({ text: 'Done', model: 'openai-compatible/llama' });
    const known = replying({ text: 'Hm', model: 'anthropic/claude-sonnet-5-5', usage: { inputTokens: 1_000_000, outputTokens: 0 } });
    expect(totalsOf(logOf(task(), unknown, known, unknown))).toMatchObject({ turns: 3, costUsd: 2, unpriced: 2 });
  });

  test('totalsOf() leaves out the time in which the run waited for an answer, or had ended', () => {
    expect(seconds(task(), calling(guarded()))).toBe(1);
    expect(seconds(task(), calling(guarded()), asking({}), answering('approve'))).toBe(2);
    expect(seconds(task(), calling(guarded()), asking({}), answering('approve'), settling(ok()))).toBe(3);
    expect(seconds(task(), saying('Done'), ending(), user('More'), saying('Done'))).toBe(3);
  });

  test('totalsOf() takes a clock that was set back for no time at all', () => {
    const [first, second] = logOf(task(), saying('Done')) as [RunRecord, RunRecord];
    expect(totalsOf([first, { ...second, at: first.at - 5000 }])).toMatchObject({ activeMs: 0 });
  });

  test('totalsOf() sums what budgets were raised by: in answers by their amount or as offered, and in messages', () => {
    const turns = askingAboutBudget('turn-limit', 'turns', 5);
    const cost = askingAboutBudget('cost-limit', 'costUsd', 0.1);
    const raised = [turns, answering('raise', { amount: 2 }), turns, answering('raise'), cost, answering('raise', { amount: 0.2 })];
    expect(totalsOf(logOf(task(), ...raised)).raised).toEqual({ turns: 7, costUsd: 0.2 });
    expect(totalsOf(logOf(task(), ...raised, raising({ turns: 1, tokens: 10 }))).raised).toEqual({ turns: 8, tokens: 10, costUsd: 0.2 });
    expect(totalsOf(logOf(task(), turns, answering('finish'))).raised).toBeUndefined();
  });

  test('totalsOf() leaves the budget of a day to the agent', () => {
    const day = askingAboutBudget('day-limit', 'tokens', 100, { day: '2026-11-30' });
    expect(totalsOf(logOf(task(), day, answering('raise', { amount: 2 }))).raised).toBeUndefined();
  });

  test('totalsOf() reads the older form, in which retry gave as many turns again', () => {
    const turn = [calling(call()), settling(ok())];
    const granted = [askingAboutModel('turn-limit'), answering('retry')];
    expect(totalsOf(logOf(task(), ...turn, ...turn, ...granted)).raised).toEqual({ turns: 2 });
    expect(totalsOf(logOf(task(), ...turn, ...turn, ...granted, ...turn, ...turn, ...granted)).raised).toEqual({ turns: 4 });
  });

  test('totalsOf() does not change what it returned for a shorter log', () => {
    const log = [...logOf(task(), raising({ turns: 1 }))];
    const before = totalsOf(log);
    log.push(...logOf(task(), user('x'), raising({ turns: 5 })).slice(2));
    expect([before.raised, totalsOf(log).raised]).toEqual([{ turns: 1 }, { turns: 6 }]);
  });
});

test('costOfReply() keeps the price of its time, and looks an older reply up in the list', () => {
  const model = 'anthropic/claude-sonnet-5-5';
  const usage = { inputTokens: 1_000_000, outputTokens: 0 };
  expect(costOfReply(lastReply(logOf(replying({ model, usage, costUsd: 9 }))))).toBe(9);
  expect(costOfReply(lastReply(logOf(replying({ model, usage }))))).toBe(2);
});
