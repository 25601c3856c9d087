import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { promptOf } from '../../lambdas/lib/model/prompt.ts';
import { committedEffects } from '../../shared/committed.ts';
import { cutOf, dueSummary, groupEnds, messageTokens, roomMaking, type ViewState, viewTokens } from '../../shared/compaction.ts';
import { factsOf } from '../../shared/facts.ts';
import type { Log } from '../../shared/log.ts';
import type { ViewMessage } from '../../shared/model.ts';
import { planOf } from '../../shared/plan.ts';
import { summaryPrompt } from '../../shared/transcript.ts';
import { view } from '../../shared/view.ts';
import { viewLimits } from '../../shared/view-limits.ts';
import type { ViewSummary } from '../../shared/view-summary.ts';
import {
  answering,
  asking,
  askingAboutModel,
  call,
  calling,
  logOf,
  ok,
  replying,
  saying,
  settling,
  task,
  user,
  wrote,
} from '../support/log-builder.ts';
import { fortyTurns, modelSteps, turns } from '../support/long-logs.ts';
import { promptFaults } from '../support/prompt-faults.ts';

/** Replay a failure with the seed that it printed: SEED=123 npx vitest run test/shared/compaction.test.ts */
const seed = process.env.SEED ? Number(process.env.SEED) : Math.floor(Math.random() * 2 ** 31);

beforeAll(() => {
  console.log(`Properties with SEED=${seed}`);
  fc.configureGlobal({ seed, numRuns: 200 });
});

const limits = viewLimits({ compaction: { atTokens: 4_000 } }, 'scripted/x');
const stateOf = (more: Partial<ViewState> = {}): ViewState => ({ limits, since: 0, overhead: 0, ...more });

type Stored = Pick<ViewSummary, 'seq' | 'text' | 'facts'>;

/** Stores what a model step would, with the model's part made up. */
function summaryOver(log: Log, state: ViewState, through: number): Stored {
  return { seq: through, text: `Everything up to ${through}.`, facts: factsOf(log, through, state.limits.factsCharacters) };
}

describe('cutOf()', () => {
  const log = fortyTurns();
  const inside = log.flatMap((record) =>
    record.type === 'results' ? Array.from({ length: record.seq - record.reply }, (_, i) => record.reply + i) : [],
  );

  test.each(Array.from({ length: 60 }, (_, i) => i * 45 + 1))('cutOf() cuts between groups when %i tokens are kept', (keep) => {
    const cut = cutOf(log, stateOf(), keep);
    expect(inside).not.toContain(cut);
    const tail = log.slice(cut).flatMap((record) => view([...log.slice(0, record.seq)].slice(-1)));
    expect(tail).toBeDefined();
  });

  test('cutOf() leaves one group in any case, and all of it when there is room', () => {
    expect(cutOf(log, stateOf(), 0)).toBe(log.length - 1);
    expect(cutOf(log, stateOf(), 1e9)).toBe(1);
    expect(cutOf(logOf(task(), calling(call()), settling(ok())), stateOf(), 0)).toBe(1);
    expect(cutOf(logOf(task()), stateOf(), 0)).toBe(1);
  });

  test('cutOf() stays before calls that are not answered yet', () => {
    expect(cutOf(logOf(task(), calling(call()), settling(ok()), calling(call()), asking({})), stateOf(), 0)).toBeLessThanOrEqual(3);
  });
});

describe('a cut at every possible place', () => {
  const log = fortyTurns();
  const ends = groupEnds(log, { after: 1, through: log.length });

  test('there are as many places as groups', () => expect(ends.length).toBe(56));

  test.each(ends)('the view after a summary up to record %i is one that every provider takes', (through) => {
    const state = stateOf({ summary: summaryOver(log, stateOf(), through) });
    const shown = view(log, state);
    for (const provider of ['anthropic', 'bedrock', 'openai', 'openai-compatible'] as const)
      expect(promptFaults(promptOf(provider, 'Do it.', shown))).toEqual([]);
    expect(shown.flatMap((message) => (message.role === 'user' ? [] : [message.reply.seq])).every((seq) => seq > through)).toBe(true);
  });

  test('no other place is a place for a cut', () => {
    for (const { seq } of log.slice(1)) {
      if (ends.includes(seq)) continue;
      const [before, after] = [log.slice(0, seq), log.slice(seq)];
      expect(before.findLast(({ type }) => type === 'reply' || type === 'results')?.type).toBe('reply');
      expect(after.find(({ type }) => type === 'reply' || type === 'results')?.type).toBe('results');
    }
  });
});

describe('viewTokens()', () => {
  const usage = { inputTokens: 5_000, outputTokens: 100 };

  test('viewTokens() takes what the provider counted for the last reply, and estimates what came after it', () => {
    const wide = stateOf({ limits: viewLimits({}, 'scripted/x') });
    const log = logOf(
      task(),
      replying({ calls: [{ index: 0, ...call() }], usage }),
      settling(ok({ output: 'x'.repeat(400) })),
      user('y'.repeat(40)),
    );
    expect(viewTokens(log, wide)).toBe(5_000 + 100 + (8 + 100) + (8 + 10));
    expect(viewTokens(logOf(task(), { ...saying('Done'), usage }), wide)).toBe(5_100);
  });

  test('viewTokens() estimates all of it when that reply was to another view, or nothing was counted', () => {
    const log = logOf(task('z'.repeat(400)), { ...saying('Done'), usage });
    const estimate = viewTokens(log, stateOf({ since: 2, overhead: 50 }));
    expect(estimate).toBe(50 + view(log).reduce((sum, message) => sum + messageTokens(message), 0));
    expect(
      viewTokens(
        logOf(task('z'.repeat(400)), { ...saying('Done'), usage: { inputTokens: 0, outputTokens: 3 } }),
        stateOf({ overhead: 50 }),
      ),
    ).toBe(estimate);
  });

  test('viewTokens() believes no count of more than ten times the estimate', () => {
    const small = stateOf({ limits: viewLimits({ compaction: { atTokens: 1_000 } }, 'scripted/x'), overhead: 50 });
    const counting = (inputTokens: number) => logOf(task('z'.repeat(400)), { ...saying('Done'), usage: { inputTokens, outputTokens: 0 } });
    const estimate = viewTokens(counting(0), small);
    expect(viewTokens(counting(estimate * 10), small)).toBe(estimate * 10);
    expect(viewTokens(counting(estimate * 10 + 1), small)).toBe(estimate);
  });

  test('viewTokens() of a view with a summary counts nothing that the summary stands for', () => {
    const log = fortyTurns();
    const state = stateOf({ since: log.length, summary: { seq: cutOf(log, stateOf(), 500), text: 'Short.', facts: '' } });
    expect(viewTokens(log, state)).toBe(view(log, state).reduce((sum, message) => sum + messageTokens(message), 0));
  });
});

describe('dueSummary()', () => {
  const log = fortyTurns();

  test('dueSummary() wants none while the view is within its limit', () => {
    expect(dueSummary(log.slice(0, 40), stateOf())).toBeUndefined();
    expect(dueSummary(log, stateOf({ limits: viewLimits({}, 'scripted/x') }))).toBeUndefined();
  });

  test('dueSummary() goes over all but the newest groups once the view is too large', () => {
    const small = stateOf({ limits: viewLimits({ compaction: { atTokens: 1_000, keepTokens: 100 } }, 'scripted/x') });
    const due = dueSummary(log, small);
    expect(due).toEqual({ after: 1, through: cutOf(log, small, 100) });
    const after = { ...small, since: log.length, summary: summaryOver(log, small, due?.through as number) };
    expect(dueSummary(log, after)).toBeUndefined();
  });

  test('dueSummary() wants none that would make no room', () => {
    const heavy = stateOf({ overhead: 10_000 });
    expect(dueSummary(logOf(task(), calling(call()), settling(ok()), calling(call()), settling(ok())), heavy)).toBeUndefined();
  });

  test('dueSummary() goes where somebody wants one, once', () => {
    expect(dueSummary(log, stateOf(), 31)).toEqual({ after: 1, through: 31 });
    expect(dueSummary(log, stateOf({ summary: { seq: 31, text: '', facts: '' } }), 31)).toBeUndefined();
  });

  test('roomMaking() leaves half as much, and nothing where there is but one group', () => {
    const small = stateOf({ limits: viewLimits({ compaction: { atTokens: 4_000, keepTokens: 1_000 } }, 'scripted/x') });
    expect(roomMaking(log, small)).toEqual({ after: 1, through: cutOf(log, small, 500) });
    expect(roomMaking(logOf(task(), calling(call()), settling(ok())), small)).toBeUndefined();
    expect(roomMaking(logOf(task()), small)).toBeUndefined();
  });

  test('an ask about the model step that was answered is no group of its own', () => {
    const asked = logOf(task(), calling(call()), settling(ok()), askingAboutModel('overloaded'), answering('retry'));
    expect(cutOf(asked, stateOf(), 0)).toBe(1);
  });
});

describe('the view of any run', () => {
  /** Plays the model steps of a run: a summary is made whenever one is due, as often as it is. */
  function played(
    input: string,
    all: Parameters<typeof modelSteps>[1],
    check: (log: Log, state: ViewState, shown: ViewMessage[], made: number) => void,
  ) {
    let summary: Stored | undefined;
    let since = 0;
    for (const log of modelSteps(input, all)) {
      let made = 0;
      for (let due = dueSummary(log, stateOf({ summary, since })); due; due = dueSummary(log, stateOf({ summary, since }))) {
        const { through } = summaryPrompt(log, {
          ...due,
          instructions: '',
          before: summary?.text,
          maxTokens: limits.atTokens / 2,
          summaryTokens: 500,
        });
        expect(through).toBeGreaterThan(due.after);
        summary = summaryOver(log, stateOf(), through);
        since = log.length;
        made++;
      }
      const state = stateOf({ summary, since });
      check(log, state, view(log, state), made);
    }
  }

  const inputs = fc.oneof(
    fc.string({ minLength: 1 }).filter((text) => text.trim() !== ''),
    fc.nat(60_000).map((size) => `Do it. ${'more '.repeat(size / 5)}`),
    fc.nat(9_000).map((size) => `办。${'再多一点'.repeat(size / 4)}`),
  );
  const anyRun = (check: Parameters<typeof played>[2]) => fc.assert(fc.property(inputs, turns, (input, all) => played(input, all, check)));
  const tokensOfView = (shown: readonly ViewMessage[]) => shown.reduce((sum, message) => sum + messageTokens(message), 0);

  test('passes the pairing rules of every provider, and starts with the task', () =>
    anyRun((log, _, shown) => {
      for (const provider of ['anthropic', 'bedrock', 'openai-compatible'] as const)
        expect(promptFaults(promptOf(provider, 'Do it.', shown))).toEqual([]);
      const [first] = view(log.slice(0, 1), { limits });
      expect(shown[0]).toEqual(first);
    }));

  test('fits its budget', () =>
    anyRun((_log, _state, shown) => {
      expect(tokensOfView(shown)).toBeLessThanOrEqual(limits.atTokens);
    }));

  test('keeps the plan and every committed effect', () =>
    anyRun((log, { summary }, shown) => {
      const text = JSON.stringify(shown);
      const plan = planOf(log);
      if (plan) expect(text).toContain(plan.items[0]?.text);
      const cut = summary?.seq ?? 0;
      const listed = summary?.facts.split('\n').filter((line) => /^c\d+_\d+ /.test(line)) ?? [];
      const counted = Number(/^(\d+) before these: /m.exec(summary?.facts ?? '')?.[1] ?? 0);
      expect(listed.length + counted).toBe(committedEffects(log, cut).length);
      for (const { seq, index } of committedEffects(log).filter((each) => each.seq > cut))
        expect(text).toContain(`"key":"01JZ0000000000000000000000/${seq}/${index}"`);
    }));

  test('begins with the view of the step before, but after a summary', () => {
    let before: string | undefined;
    anyRun((log, _, shown, made) => {
      const text = JSON.stringify(shown).slice(0, -1);
      if (before !== undefined && log.length > 1 && made === 0) expect(text.startsWith(before)).toBe(true);
      before = text;
    });
  });

  test('costs nothing for what the summary stands for: those records are not even looked at', () => {
    const log = [...fortyTurns()];
    const cut = cutOf(log, stateOf(), 500);
    const state = stateOf({ since: log.length, summary: summaryOver(log, stateOf(), cut) });
    const expected = view(log, state);
    for (let i = 1; i < cut; i++) Object.defineProperty(log, i, { get: () => expect.unreachable('a summarized record was read') });
    expect(view(log, state)).toEqual(expected);
    expect(viewTokens(log, state)).toBe(tokensOfView(expected));
    expect(dueSummary(log, state)).toBeUndefined();
  });
});

test('the facts of effects stay when the newest result is shown after the summary', () => {
  const log = logOf(
    task(),
    calling(call('pay')),
    settling(wrote('unknown', 2)),
    calling(call('pay')),
    settling(wrote('done', 2)),
    saying('Done'),
  );
  expect(factsOf(log, 3, 2_000)).toContain('nobody knows whether it happened');
  expect(factsOf(log, 5, 2_000)).toContain('c2_0 pay {"amount":1} -> done');
});
