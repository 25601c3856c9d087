import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { asked, estimateOf, finishingAt, limitReached, limitsOf, type PlannedStep } from '../../shared/budget.ts';
import { policy } from '../../shared/policy.ts';
import { ask, type Question, SCHEMA_VERSION } from '../../shared/record.ts';
import {
  answering,
  askingAboutBudget,
  askingAboutModel,
  bad,
  call,
  calling,
  ending,
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

const planned: PlannedStep = { model: 'anthropic/claude-sonnet-5-5', overheadTokens: 100 };
const used = (inputTokens: number, outputTokens: number, more = {}) =>
  replying({ text: 'Hm', model: planned.model, usage: { inputTokens, outputTokens, ...more } });

describe('estimateOf()', () => {
  const estimate = (...steps: Step[]) => estimateOf(logOf(...steps), planned);

  test('estimateOf() takes instructions, tools and task for the input of the first step', () => {
    expect(estimate(task('x'.repeat(398))).tokens).toBe(100 + 100 + 1000);
    expect(estimateOf(logOf(task('x'.repeat(398))), { ...planned, maxOutputTokens: 50 }).tokens).toBe(100 + 100 + 50);
  });

  test('estimateOf() goes from what the last step used, with its output and what came since', () => {
    expect(estimate(task('x'.repeat(4000)), used(500, 20)).tokens).toBe(500 + 20 + 20);
    expect(estimate(task(), used(500, 20), user('y'.repeat(40))).tokens).toBe(520 + 10 + 20);
    const calls = [calling(call()), settling(ok({ output: 'z'.repeat(396) }))];
    expect(estimate(task(), ...calls).tokens).toBe(10 + 5 + 101 + 5);
  });

  test('estimateOf() expects as much output as the longest of the last ten replies had', () => {
    expect(estimate(task(), used(1, 900), ...Array.from({ length: 9 }, () => used(1, 5))).tokens).toBe(6 + 900);
    expect(estimate(task(), used(1, 900), ...Array.from({ length: 10 }, () => used(1, 5))).tokens).toBe(6 + 5);
  });

  test('estimateOf() takes no record for larger than the model is shown it', () => {
    const log = logOf(task(), used(500, 20), calling(call()), settling(ok({ output: 'z'.repeat(1_000_000) })));
    expect(estimateOf(log, { ...planned, mostTokens: 300 }).tokens).toBe(10 + 5 + 300 + 20);
  });

  test('estimateOf() prices the cache as it was, and all the rest as written to it where it is written to', () => {
    expect(estimate(task(), used(1_000_000, 0)).costUsd).toBe(2);
    expect(estimate(task(), used(1_000_000, 0, { cacheReadTokens: 1_000_000 })).costUsd).toBe(0.1);
    expect(estimate(task(), used(1_000_000, 0, { cacheReadTokens: 900_000, cacheWriteTokens: 1 })).costUsd).toBeCloseTo(0.09 + 0.25, 9);
  });

  test('estimateOf() says no cost where the price is not known', () => {
    expect(estimateOf(logOf(task()), { ...planned, model: 'openai-compatible/llama' })).not.toHaveProperty('costUsd');
    const own = { ...planned, model: 'openai-compatible/llama', price: { input: 1, output: 1 } };
    expect(estimateOf(logOf(task(), used(1_000_000, 0)), own).costUsd).toBe(1);
  });
});

describe('limitReached()', () => {
  const at = (limits: object, steps: Step[], now = 0) => {
    const log = logOf(...steps);
    return limitReached(log, policy.parse(limits), planned, now || (log.at(-1)?.at ?? 0));
  };
  const budgetOf = (...given: Parameters<typeof at>) => at(...given)?.questions[0]?.budget;

  test('limitReached() asks before the turn above the limit, with as many again to grant', () => {
    const steps = [task(), saying(''), saying('')];
    expect(at({ maxTurns: 3 }, steps)).toBeUndefined();
    expect(at({ maxTurns: 2 }, steps)).toMatchObject({ kind: 'escalation', reason: 'turn-limit' });
    expect(budgetOf({ maxTurns: 2 }, steps)).toEqual({ name: 'turn-limit', unit: 'turns', limit: 2, spent: 2, by: 2, least: 1, most: 20 });
  });

  test('limitReached() asks before the step that would overdraw tokens, not after it', () => {
    const steps = [task(), used(500, 20)];
    expect(at({ maxTokens: 520 + 540 }, steps)).toBeUndefined();
    expect(budgetOf({ maxTokens: 520 + 539 }, steps)).toMatchObject({ name: 'token-limit', unit: 'tokens', spent: 520, least: 1 });
    expect(at({ maxTokens: 100 }, [task()])).toMatchObject({ reason: 'token-limit' });
  });

  test('limitReached() counts what summaries have cost', () => {
    const log = logOf(task(), used(500, 20));
    const summaries = { turns: 0, inputTokens: 30, outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 1 };
    const now = log.at(-1)?.at ?? 0;
    const reached = (limits: object) => limitReached(log, policy.parse(limits), { ...planned, summaries }, now)?.reason;
    expect(reached({ maxTokens: 520 + 40 + 540 })).toBeUndefined();
    expect(reached({ maxTokens: 520 + 40 + 539 })).toBe('token-limit');
    expect(reached({ maxCostUsd: 1 })).toBe('cost-limit');
  });

  test('limitReached() asks before the step that would overdraw money', () => {
    const steps = [task(), used(1_000_000, 0)];
    expect(at({ maxCostUsd: 4 }, steps)).toBeUndefined();
    expect(budgetOf({ maxCostUsd: 3 }, steps)).toEqual({
      name: 'cost-limit',
      unit: 'costUsd',
      limit: 3,
      spent: 2,
      by: 3,
      least: 1,
      most: 30,
    });
  });

  test('limitReached() asks before each step whose price is not known, and lets one pass when the limit is raised', () => {
    const steps = [task(), used(1_000_000, 0)];
    const reached = (...more: Step[]) => {
      const log = logOf(...steps, ...more);
      return limitReached(log, policy.parse({ maxCostUsd: 4 }), { ...planned, model: 'openai-compatible/llama' }, log.at(-1)?.at ?? 0);
    };
    expect(reached()).toMatchObject({
      reason: 'cost-limit',
      questions: [{ text: expect.stringMatching(/^The run has spent \$2 of \$4, and the price of its next step is not known\./) }],
    });
    const raised = [askingAboutBudget('cost-limit', 'costUsd', 4), answering('raise', { amount: 1 })];
    expect(reached(...raised)).toBeUndefined();
    expect(reached(...raised, user('And more'))).toBeUndefined();
    expect(reached(...raised, used(1, 1))).toMatchObject({ reason: 'cost-limit' });
  });

  test('limitReached() counts the time at work, and none of waiting for an answer', () => {
    const steps = [task(), askingAboutModel('overloaded'), answering('retry')];
    const last = logOf(...steps).at(-1)?.at ?? 0;
    expect(at({ maxSeconds: 10 }, steps, last + 8_999)).toBeUndefined();
    expect(budgetOf({ maxSeconds: 10 }, steps, last + 9_000)).toMatchObject({ name: 'time-limit', limit: 10, spent: 10, least: 1 });
    expect(budgetOf({ maxSeconds: 10 }, steps, last + 99_000)).toMatchObject({ spent: 100, by: 91, least: 91, most: 100 });
  });

  test('limitReached() holds the run to what people raised a budget to', () => {
    const steps = [task(), saying(''), saying('')];
    const granted = [askingAboutBudget('turn-limit', 'turns', 2), answering('raise', { amount: 1 })];
    expect(at({ maxTurns: 2 }, [...steps, ...granted])).toBeUndefined();
    expect(budgetOf({ maxTurns: 2 }, [...steps, ...granted, saying('')])).toMatchObject({ limit: 3, spent: 3, by: 2, most: 20 });
    expect(at({ maxTokens: 30 }, [...steps, raising({ tokens: 1000 })])).toBeUndefined();
  });

  test('limitReached() lets everything pass where nothing is limited', () => {
    expect(limitReached(logOf(task(), used(1e9, 1e9)), policy.parse({}), undefined, 9e15)).toBeUndefined();
  });
});

describe('asked()', () => {
  const amounts = fc.record({
    spent: fc.integer({ min: 0, max: 1e9 }),
    step: fc.integer({ min: 1, max: 1e6 }),
    limit: fc.integer({ min: 1, max: 1e9 }),
    own: fc.integer({ min: 1, max: 1e9 }),
  });

  test('asked() makes an ask that is stored as it is, whose offer is within its bounds and is enough', () => {
    fc.assert(
      fc.property(fc.constantFrom('turns', 'seconds', 'tokens', 'costUsd', 'runs'), amounts, (unit, given) => {
        const draft = asked('day-limit', unit, { ...given, day: '2026-11-30' });
        const record = { v: SCHEMA_VERSION, seq: 1, at: 0, ...draft };
        expect(ask.parse(record)).toEqual(record);
        const { by, least, most, limit } = (draft.questions[0] as Question).budget as NonNullable<Question['budget']>;
        expect(least <= by && by <= most).toBe(true);
        expect(limit + by).toBeGreaterThanOrEqual(given.spent + given.step);
      }),
    );
  });

  test('asked() says what was spent of what, and what the next step is expected to take', () => {
    const text = (...given: Parameters<typeof asked>) => asked(...given).questions[0]?.text;
    expect(text('turn-limit', 'turns', { spent: 1, step: 1, limit: 1 })).toMatch(
      /^The run has had 1 turn, its limit\. Raise the limit \(by 1 turn /,
    );
    expect(text('cost-limit', 'costUsd', { spent: 0.48, step: 0.031, limit: 0.5 })).toMatch(
      /^The run has spent \$0\.48 of \$0\.5, and its next step is expected to take \$0\.031\./,
    );
    expect(text('day-limit', 'runs', { spent: 3, step: 1, limit: 3, day: '2026-11-30' })).toMatch(
      /^The runs of this agent have spent 3 runs of 3 runs on 2026-11-30 \(UTC\), and this would be one more\./,
    );
  });

  test('asked() offers to look again only where a day may be over', () => {
    expect(asked('turn-limit', 'turns', { spent: 1, step: 1, limit: 1 }).questions[0]?.choices).toEqual(['raise', 'finish', 'stop']);
    const day = asked('day-limit', 'runs', { spent: 1, step: 1, limit: 1, day: '2026-11-30' });
    expect(day.questions[0]?.choices).toEqual(['raise', 'retry', 'finish', 'stop']);
  });
});

test('limitsOf() adds what people raised to what the policy says, and limits nothing by itself', () => {
  expect(limitsOf(policy.parse({ maxTurns: 5, maxCostUsd: 0.1 }), { turns: 2, costUsd: 0.2, tokens: 9 })).toEqual({
    turns: 7,
    costUsd: 0.3,
  });
});

describe('finishingAt()', () => {
  const budget = askingAboutBudget('token-limit', 'tokens', 10);
  const at = (...steps: Step[]) => finishingAt(logOf(task(), calling(call()), settling(ok()), ...steps));

  test('finishingAt() names the budget from the answer until the end', () => {
    expect(at(budget, answering('finish'))).toBe('token-limit');
    expect(at(budget, answering('finish'), saying('Done'))).toBe('token-limit');
    expect(at(budget, answering('finish'), calling(call()), settling(bad()))).toBe('token-limit');
    expect(at(budget, answering('finish'), askingAboutModel('overloaded'), answering('retry'))).toBe('token-limit');
    expect(at(budget, answering('finish'), saying('Done'), ending())).toBeUndefined();
    expect(at(budget, answering('finish'), saying('Done'), ending(), user('More'))).toBeUndefined();
  });

  test('finishingAt() is undefined when nobody said so', () => {
    expect(at()).toBeUndefined();
    expect(at(budget)).toBeUndefined();
    expect(at(budget, answering('raise'))).toBeUndefined();
    expect(at(budget, answering('raise'), saying('Hm'))).toBeUndefined();
  });
});
