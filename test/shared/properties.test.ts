import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Circumstances, decide, stepAfter } from '../../shared/decide.ts';
import { canonical } from '../../shared/json.ts';
import { callsAsRun, type Log, openReply } from '../../shared/log.ts';
import type { Ask, Call, Reply, Result, RunRecord } from '../../shared/record.ts';
import { answersOf, standings } from '../../shared/standing.ts';
import { view } from '../../shared/view.ts';
import { anyLineage, anyScenario, json, nested, runRecord, steadyScenario } from '../support/generators.ts';
import { type Execution, type Played, play, playLineage, type Scenario } from '../support/simulation.ts';

/** Replay a failure with the seed that it printed: SEED=123 npx vitest run test/shared/properties.test.ts */
const seed = process.env.SEED ? Number(process.env.SEED) : Math.floor(Math.random() * 2 ** 31);

beforeAll(() => {
  console.log(`Properties with SEED=${seed}`);
  fc.configureGlobal({ seed, numRuns: 1000 });
});

const holds = <T>(values: fc.Arbitrary<T>, check: (value: T) => void) => fc.assert(fc.property(values, check));
const holdsInTime = <T>(values: fc.Arbitrary<T>, check: (value: T) => Promise<void>) => fc.assert(fc.asyncProperty(values, check));
const anyRun = (check: (played: Played, scenario: Scenario) => void) => holds(anyScenario, (scenario) => check(play(scenario), scenario));

const prefixes = (log: Log): Log[] => log.map((_, i) => log.slice(0, i + 1));
const only = <T extends RunRecord['type']>(log: Log, type: T) =>
  log.filter((record): record is Extract<RunRecord, { type: T }> => record.type === type);

describe('Replay', () => {
  /** The circumstances under which the next record was written, as far as it tells. */
  const around = ({ policy }: Scenario, next: RunRecord): Circumstances => ({
    policy,
    messages: next.type === 'user',
    cancelledBy: next.type === 'end' && next.status === 'cancelled' ? 'Bob' : undefined,
    waitUntil: 0,
    now: 1,
    events: 0,
    eventLimit: 1,
  });

  const draftOf = ({ v: _v, seq: _seq, at: _at, ...draft }: RunRecord) => draft;

  /** What decide says when this record comes next. */
  const decisionFor = (log: Log, next: RunRecord): object => {
    if (next.type === 'user') return { next: 'model', take: 'messages' };
    if (next.type === 'answer') return { next: 'ask' };
    if (next.type === 'end') return { next: 'end', status: next.status, draft: draftOf(next) };
    if (next.type === 'ask' && next.reason === 'turn-limit') return { next: 'ask', draft: draftOf(next) };
    return next.type === 'results' || (next.type === 'ask' && next.reply) ? { next: 'tools', reply: openReply(log) } : { next: 'model' };
  };

  const writerOf = (log: Log, next: RunRecord): string => {
    if (log.at(-1)?.type === 'end') return 'none';
    if (next.type === 'answer') return 'answer';
    return openReply(log) && (next.type === 'results' || next.type === 'ask' || next.type === 'end') ? 'tools' : 'model';
  };

  test('decide() names the step that wrote the next record, for every prefix of a log', () =>
    anyRun(({ log }, scenario) => {
      for (const prefix of prefixes(log).slice(0, -1)) {
        const next = log[prefix.length] as RunRecord;
        expect(decide(prefix, around(scenario, next))).toEqual(decisionFor(prefix, next));
        if (next.type !== 'end' || next.status !== 'cancelled') expect(stepAfter(prefix)).toBe(writerOf(prefix, next));
      }
    }));
});

test('Pairing: every call gets exactly one result before the next reply', () =>
  anyRun(({ log }) => {
    for (const reply of only(log, 'reply').filter(({ calls }) => calls.length > 0)) {
      const after = log.slice(reply.seq);
      const closing = after.find(({ type }) => type !== 'ask' && type !== 'answer');
      if (!closing || closing.type === 'end') continue;
      expect(closing).toMatchObject({ type: 'results', reply: reply.seq });
      expect((closing as { results: Result[] }).results.map(({ index }) => index)).toEqual(reply.calls.map(({ index }) => index));
    }
    expect(only(log, 'results')).toHaveLength(new Set(only(log, 'results').map(({ reply }) => reply)).size);
  }));

/** What was asked about one call and settled or not, each with its votes, read from the log by hand. */
const wordsOn = (log: Log, reply: Reply, call: Call) =>
  only(log, 'ask')
    .filter((ask) => ask.reply === reply.seq)
    .flatMap((ask) => {
      const question = ask.questions.find(({ index }) => index === call.index);
      if (!question) return [];
      const votes = only(log, 'answer')
        .filter((answer) => answer.ask === ask.seq)
        .flatMap(({ seq, by, answers }) => answers.filter(({ index }) => index === call.index).map((said) => ({ seq, by, ...said })));
      const last = votes.at(-1);
      const enough = last?.decision !== 'approve' || votes.length >= (question.needs ?? 1);
      return [{ ask, question, votes, seq: last?.seq ?? ask.seq + 1, decision: enough ? last?.decision : undefined }];
    });

test('Permission: no guarded call runs without a yes to that very call, from as many people as it needs', () =>
  anyRun(({ executions }) => {
    for (const { log, reply, call } of executions) {
      const words = wordsOn(log, reply, call);
      expect(call.invalid).toBeUndefined();
      expect(words.filter(({ decision }) => decision === 'deny')).toEqual([]);
      if (!call.approval) continue;
      const yes = words.flatMap(({ question, votes }) =>
        votes.filter(({ decision, edit }) => decision === 'approve' && (edit ?? question).inputHash === call.inputHash),
      );
      expect(new Set(yes.map(({ by }) => by)).size).toBeGreaterThanOrEqual(call.approval.needs ?? 1);
    }
  }));

describe('Termination', () => {
  test('any script ends or asks within its budget', () =>
    anyRun(({ outcome, invocations, answers, log }, { policy, messagesAt, crashes, replies }) => {
      expect(outcome).not.toBe('stuck');
      const calls = Math.max(...replies.map((reply) => reply.calls.length));
      const aTurn = 2 * policy.maxModelAttempts + 4 + 2 * (3 + calls * (policy.maxAttempts + 1));
      const acts = 1 + answers + messagesAt.length;
      expect(invocations).toBeLessThanOrEqual(acts * (policy.maxTurns + 1) * aTurn + crashes.length);
      for (const stretch of stretches(log)) expect(stretch).toBeLessThanOrEqual(policy.maxTurns);
    }));

  /** Turns between the grants of people. */
  const stretches = (log: Log): number[] => {
    const counts = [0];
    for (const record of log) {
      if (record.type === 'reply') counts.push((counts.pop() as number) + 1);
      if (record.type === 'ask' && record.reason === 'turn-limit') counts.push(0);
    }
    return counts;
  };

  test('no call is tried more often than its limit between two answers', () =>
    anyRun(({ executions }, { policy }) => {
      const tries = Map.groupBy(executions, ({ log, reply, call }) => `${reply.seq}/${call.index} after ${lastWord(log, reply, call)}`);
      for (const each of tries.values()) expect(each.length).toBeLessThanOrEqual(policy.maxAttempts);
    }));

  /** Whether two calls of a reply are the same, with the arguments they ran with. */
  const isEqual = (log: Log, reply: Reply, one: Call, other: Call): boolean =>
    one.inputHash === callsAsRun(log, reply)[other.index]?.inputHash;

  const lastWord = (log: Log, reply: Reply, call: Call): number => wordsOn(log, reply, call).at(-1)?.seq ?? 0;

  test('what a person says about a call is heeded: a word that settles it is the last, and any other lets it try', () =>
    holds(anyScenario, (scenario) => {
      const { log, executions } = play({ ...scenario, crashes: [] });
      for (const reply of only(log, 'reply'))
        for (const call of reply.calls) {
          const words = wordsOn(log, reply, call).filter(({ ask }) => ask.reason !== 'step-fails');
          const settled = words.findIndex(({ decision }) => ['deny', 'skip', 'done', 'result'].includes(decision ?? ''));
          if (settled >= 0) expect(words.slice(settled + 1)).toEqual([]);
          for (const [i, { question, seq, decision }] of words.entries()) {
            const again = words.slice(i + 1).find((later) => later.question.kind === question.kind);
            if (!again) continue;
            expect(decision).not.toBe('approve');
            const mine = executions.filter((tried) => tried.reply.seq === reply.seq && isEqual(tried.log, reply, tried.call, call));
            expect(mine.some((tried) => tried.log.length >= seq)).toBe(true);
          }
        }
    }));
});

test('View: it starts with the task, pairs every call with its result, shows nothing blank, and only grows', () =>
  anyRun(({ log }) => {
    let before: unknown[] = [];
    for (const prefix of prefixes(log)) {
      const seen = view(prefix);
      expect(seen[0]).toEqual({ role: 'user', text: 'Go' });
      expect(seen.slice(0, before.length)).toEqual(before);
      for (const [i, message] of seen.entries()) {
        const after = seen[i + 1];
        if (message.role === 'user') expect(message.text.trim()).not.toBe('');
        if (message.role === 'assistant') expect(message.reply.calls.length > 0).toBe(after?.role === 'tool');
        if (message.role === 'assistant') expect(message.reply.text.trim() !== '' || message.reply.calls.length > 0).toBe(true);
        if (message.role !== 'tool') continue;
        expect(seen[i - 1]).toEqual({ role: 'assistant', reply: message.reply });
        expect(message.results.map(({ index }) => index)).toEqual(message.reply.calls.map(({ index }) => index));
      }
      before = seen;
    }
  }));

describe('Round trip', async () => {
  Object.assign(process.env, { HOLDFAST_TABLE: 't', HOLDFAST_IDEMPOTENCY_TABLE: 't', HOLDFAST_STATE_MACHINE_ARN: 'arn' });
  const { recordItem } = await import('../../lambdas/lib/log-store.ts');
  const { readItem } = await import('../../lambdas/lib/item.ts');
  const { runRecord: schema } = await import('../../shared/record.ts');
  const stored = async (record: RunRecord) => readItem(schema, await recordItem('R', record));

  test('a record survives storage unchanged, whatever Unicode and numbers it holds', () =>
    holdsInTime(runRecord, async (record) => {
      expect(await stored(record)).toEqual(record);
    }));

  test('a record survives storage to the letter, with every key that JSON can have', () =>
    holdsInTime(runRecord, async (record) => {
      expect(canonical((await stored(record)) as never)).toBe(canonical(record as never));
    }));

  test.each([10, 100, 1000, 2500])('a record survives storage with %i levels in it', async (levels) => {
    const record: RunRecord = { v: 1, seq: 1, at: 0, type: 'task', agent: 'a', input: nested(levels) };
    expect(JSON.stringify(await stored(record))).toBe(JSON.stringify(record));
  });

  test('a record keeps a lone surrogate, and -0', async () => {
    const record: RunRecord = { v: 1, seq: 1, at: 0, type: 'task', agent: 'a', input: ['\ud800', '\udc00\ud800', -0] };
    expect(await stored(record)).toEqual({ ...record, input: ['\ud800', '\udc00\ud800', -0] });
  });

  test('canonical() gives equal text for equal values, whatever the order of their keys, and keeps them', () =>
    holds(json, (value) => {
      expect(JSON.parse(canonical(value))).toEqual(value);
      expect(canonical(reversed(value))).toBe(canonical(value));
    }));

  const reversed = (value: unknown): never => {
    if (Array.isArray(value)) return value.map(reversed) as never;
    if (value === null || typeof value !== 'object') return value as never;
    const copy = {};
    for (const [key, each] of Object.entries(value).reverse())
      Object.defineProperty(copy, key, { value: reversed(each), enumerable: true });
    return copy as never;
  };
});

describe('Crash', () => {
  /** The log but for what a crash may add: questions about outcomes and tries, and their answers. */
  const shapeOf = (log: Log): unknown[] =>
    log.flatMap((record): unknown[] => {
      if (record.type === 'ask') return consentsIn(log, record);
      if (record.type === 'answer') return [];
      if (record.type === 'reply') return [['reply', record.text, ...record.calls.map(({ inputHash }) => inputHash)]];
      if (record.type === 'results') return [['results', ...record.results.map(({ ok }) => ok)]];
      return [record.type === 'end' ? ['end', record.status, record.reason] : [record.type]];
    });

  const consentsIn = (log: Log, ask: Ask): unknown[] =>
    standings(ask, answersOf(log, ask)).flatMap(({ question: { kind, index, inputHash }, settled }) =>
      kind === 'approval' ? [['consent', index, inputHash, settled?.answer.decision]] : [],
    );

  const uncrashed = (scenario: Scenario) => play({ ...scenario, crashes: [] });

  test('a run that is stopped dead anywhere writes the log that it would have written', () =>
    holds(steadyScenario, (scenario) => {
      const crashed = play(scenario);
      expect(crashed.outcome).toBe('ended');
      expect(shapeOf(crashed.log)).toEqual(shapeOf(uncrashed(scenario).log));
    }));

  test('a run that is stopped dead anywhere has the effects that it would have had, each once', () =>
    holds(steadyScenario, (scenario) => {
      const crashed = play(scenario);
      expect(new Map([...crashed.effectsOf].sort())).toEqual(new Map([...uncrashed(scenario).effectsOf].sort()));
      for (const times of crashed.effects.values()) expect(times).toBe(1);
    }));

  test('a run stopped dead at every point in turn writes the same log and has the same effects', () => {
    fc.assert(
      fc.property(steadyScenario, (scenario) => {
        const whole = uncrashed(scenario);
        for (let at = 0; at < whole.points; at++)
          for (const after of [false, true]) {
            const crashed = play({ ...scenario, crashes: [{ at, after }] });
            expect(shapeOf(crashed.log)).toEqual(shapeOf(whole.log));
            expect(new Map([...crashed.effectsOf].sort())).toEqual(new Map([...whole.effectsOf].sort()));
          }
      }),
      { numRuns: 60 },
    );
  });

  const saidNotDone = (before: Execution, now: Execution): boolean =>
    now.log
      .slice(before.log.length)
      .some((record) => record.type === 'answer' && record.answers.some(({ decision }) => decision === 'not-done'));

  test('nothing is repeated that may have happened, unless a person said that it was not done', () =>
    anyRun(({ executions }) => {
      const last = new Map<string, Execution>();
      for (const now of executions.filter(({ call }) => call.class !== 'read')) {
        const before = last.get(now.key);
        last.set(now.key, now);
        if (!before || now.call.class === 'idempotent') continue;
        if (now.happened) expect(saidNotDone(before, now)).toBe(true);
        if (now.call.class === 'once' && !before.refused) expect(saidNotDone(before, now)).toBe(true);
      }
    }));

  /** What the newest result in the log says of an effect. */
  const outcomeOf = (log: Log, key: string): string | undefined =>
    only(log, 'results')
      .flatMap(({ results }) => results)
      .findLast(({ effect }) => effect?.key === key)?.effect?.state;

  test('nothing is run again whose effect the log calls done', () =>
    anyRun(({ executions }) => {
      for (const { log, key, call } of executions) if (call.class !== 'read') expect(outcomeOf(log, key)).not.toBe('done');
    }));

  test('a call made again goes on with the open effect of its equal, and no two calls of a reply share one', () =>
    anyRun(({ executions }) => {
      const owners = new Map<string, string>();
      for (const { log, reply, call, key } of executions) {
        if (call.class === 'read' || call.businessKey !== undefined) continue;
        const open = openKeys(log.slice(0, reply.seq - 1), call.inputHash);
        const place = reply.calls.filter(({ index, inputHash }) => inputHash === call.inputHash && index < call.index).length;
        if (place < open.size) expect(open).toContain(key);
        const owner = `${reply.seq}/${call.index}`;
        expect(owners.get(`${reply.seq} ${key}`) ?? owner).toBe(owner);
        owners.set(`${reply.seq} ${key}`, owner);
      }
    }));

  /** The effect keys of equal calls that no later result has settled. */
  const openKeys = (log: Log, inputHash: string): Set<string> => {
    const keys = only(log, 'results').flatMap(({ reply, results }) =>
      results
        .filter(({ index }) => callsAsRun(log, log[reply - 1] as Reply)[index]?.inputHash === inputHash)
        .flatMap(({ effect }) => effect?.key ?? []),
    );
    return new Set(keys.filter((key) => outcomeOf(log, key) === 'unknown'));
  };
});

describe('Lineage', () => {
  /** Calls of a log that write, by their hash. */
  const written = (log: Log, hash: string): number =>
    only(log, 'reply').flatMap((reply) => callsAsRun(log, reply).filter(({ inputHash, invalid }) => inputHash === hash && !invalid)).length;

  test('no effect takes place more often than one run of the lineage asked for it, and no key twice', () =>
    holds(anyLineage, ({ scenario, branches }) => {
      const runs = playLineage(scenario, branches);
      const last = runs.at(-1) as Played;
      for (const [key, times] of last.effects) expect([key, times]).toEqual([key, 1]);
      for (const [hash, times] of last.effectsOf) expect(times).toBeLessThanOrEqual(Math.max(...runs.map(({ log }) => written(log, hash))));
    }));

  // Calls that share a business key may know of its one effect by different words: the tool's own, or a person's.
  test('what a run before did is known to the next one, with an output that was recorded of it', () =>
    holds(anyLineage, ({ scenario, branches }) => {
      const done = new Map<string, Result[]>();
      for (const { log } of playLineage(scenario, branches))
        for (const result of only(log, 'results').flatMap(({ results }) => results)) {
          if (result.effect?.state !== 'done') continue;
          const before = done.get(result.effect.key) ?? [];
          if (before.length > 0 && result.reused) expect(before.map(({ output }) => output)).toContainEqual(result.output);
          done.set(result.effect.key, [...before, result]);
        }
    }));

  test('no run of it is stuck', () =>
    holds(anyLineage, ({ scenario, branches }) => {
      expect(playLineage(scenario, branches).at(-1)?.outcome).not.toBe('stuck');
    }));

  test('a guarded call of a run needs a yes in that very run, unless it is answered from what was done', () =>
    holds(anyLineage, ({ scenario, branches }) => {
      for (const { executions } of playLineage(scenario, branches).slice(-1))
        for (const { log, reply, call } of executions)
          if (call.approval) expect(wordsOn(log, reply, call).some(({ decision }) => decision === 'approve')).toBe(true);
    }));
});
