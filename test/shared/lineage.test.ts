import { describe, expect, test } from 'vitest';
import { cutAt, effectsOf, isFinished, type LineageEffect, lineageLedger, meetings } from '../../shared/lineage.ts';
import type { Reply } from '../../shared/record.ts';
import {
  answering,
  asking,
  call,
  calling,
  ending,
  entry,
  keyAt,
  lastReply,
  logOf,
  ok,
  planIn,
  RUN_ID,
  saying,
  settling,
  task,
  wrote,
} from '../support/log-builder.ts';

const OLD = '01JZ0000000000000000000001';
const oldKey = (seq: number, index = 0) => `${OLD}/${seq}/${index}`;

const effect = (seq: number, more: Partial<LineageEffect> = {}): LineageEffect => ({
  runId: OLD,
  seq,
  index: 0,
  key: oldKey(seq),
  tool: 'pay',
  input: { amount: 1 },
  inputHash: 'pay {"amount":1}',
  state: 'done',
  ok: true,
  output: `paid at ${seq}`,
  ...more,
});

describe('effectsOf()', () => {
  const listed = (...given: Parameters<typeof effectsOf>) => effectsOf(...given).map(({ key, state, output }) => [key, state, output]);

  test('effectsOf() lists what was done and what is open, oldest first, and not what failed', () => {
    const log = logOf(
      task(),
      calling(call('pay'), call('look', { class: 'read' })),
      settling(wrote('done', 2), ok()),
      calling(call('pay'), call('send')),
      settling(wrote('unknown', 4), wrote('failed', 4, 1)),
    );
    expect(listed({ runId: RUN_ID, log, entries: [] })).toEqual([
      [keyAt(2), 'done', 'done'],
      [keyAt(4), 'open', 'It failed'],
    ]);
  });

  test('effectsOf() knows from the ledger what was done, or begun, before its results were recorded', () => {
    const log = logOf(task(), calling(call('pay'), call('send'), call('fax'), call('look', { class: 'read' })));
    const entries = [
      entry({ state: 'done', ok: true, output: 'paid' }),
      entry({ key: keyAt(2, 1), tool: 'send', state: 'started' }),
      entry({ key: keyAt(2, 2), tool: 'fax', state: 'failed' }),
      entry({ key: keyAt(2, 3), tool: 'look', class: 'read', state: 'done' }),
    ];
    expect(listed({ runId: RUN_ID, log, entries })).toEqual([
      [keyAt(2), 'done', 'paid'],
      [keyAt(2, 1), 'open', null],
    ]);
  });

  test('effectsOf() believes an entry that was settled after the log called it open, and a log that has it as done', () => {
    const open = logOf(task(), calling(call('pay')), settling(wrote('unknown', 2)));
    expect(listed({ runId: RUN_ID, log: open, entries: [entry({ state: 'done', ok: true, output: 'paid' })] })).toEqual([
      [keyAt(2), 'done', 'paid'],
    ]);
    const done = logOf(task(), calling(call('pay')), settling(wrote('done', 2)));
    expect(listed({ runId: RUN_ID, log: done, entries: [entry({ state: 'unknown' })] })).toEqual([[keyAt(2), 'done', 'done']]);
  });

  test('effectsOf() knows of an effect whose call the log calls not run', () => {
    const log = logOf(task(), calling(call('pay')), settling({ ok: false, output: 'Not run: the run was cancelled' }));
    expect(listed({ runId: RUN_ID, log, entries: [entry({ state: 'unknown', error: 'cut off' })] })).toEqual([
      [keyAt(2), 'open', 'cut off'],
    ]);
  });
});

describe('lineageLedger()', () => {
  test('lineageLedger() leaves out what the run itself has spoken of', () => {
    const log = logOf(task(), calling(call('pay')), settling({ ...ok(), effect: { key: oldKey(2), state: 'done' }, reused: true }));
    expect(lineageLedger(log, [[effect(2), effect(4)]])).toEqual([effect(4)]);
  });

  test('lineageLedger() has an effect once, at its first place, with what the youngest ancestor knows', () => {
    const newer = effect(9, { key: oldKey(2), runId: RUN_ID, state: 'done' });
    expect(lineageLedger([], [[effect(2, { state: 'open' }), effect(4)], [newer]])).toEqual([
      { ...newer, runId: OLD, seq: 2, index: 0 },
      effect(4),
    ]);
  });
});

describe('meetings()', () => {
  const met = (log: ReturnType<typeof logOf>, ledger: LineageEffect[], reply: Reply = lastReply(log)) =>
    [...meetings(log, reply, ledger)].map(([index, { key }]) => [index, key]);

  test('meetings() has the i-th equal call meet the i-th equal effect', () => {
    const log = logOf(task(), calling(call('pay'), call('send'), call('pay'), call('pay')));
    expect(met(log, [effect(2), effect(4)])).toEqual([
      [0, oldKey(2)],
      [2, oldKey(4)],
    ]);
  });

  test('meetings() gives open effects of the run itself the first calls', () => {
    const log = logOf(task(), calling(call('pay')), settling(wrote('unknown', 2)), calling(call('pay'), call('pay')));
    expect(met(log, [effect(4)])).toEqual([[1, oldKey(4)]]);
  });

  test('meetings() counts no calls that never run', () => {
    const log = logOf(task(), calling(call('pay', { invalid: 'no' }), call('pay')));
    expect(met(log, [effect(2)])).toEqual([[1, oldKey(2)]]);
  });

  test('meetings() passes over calls that read or never run', () => {
    const log = logOf(task(), calling(call('pay', { class: 'read' }), call('pay', { invalid: 'no' })));
    expect(met(log, [effect(2)])).toEqual([]);
  });
});

describe('planCall() of a call that meets an effect of the lineage', () => {
  const log = logOf(task(), calling(call('pay')));
  const guarded = logOf(task(), calling(call('pay', { approval: { reason: 'It is dear' } })));

  test('planCall() answers it from what was done, without consent', () => {
    const answered = { do: 'settle', result: { ok: true, output: 'paid at 2', reused: true, effect: { key: oldKey(2), state: 'done' } } };
    for (const onRepeat of ['run', 'reuse'] as const)
      for (const each of [log, guarded]) expect(planIn(each, { met: effect(2), onRepeat })).toMatchObject(answered);
  });

  test('planCall() asks where the tool says so, and runs after a yes', () => {
    const plan = planIn(log, { met: effect(2), onRepeat: 'ask' });
    expect(plan).toMatchObject({ do: 'ask', question: { kind: 'approval' } });
    expect(plan).toMatchObject({ question: { text: expect.stringContaining(`by run ${OLD} at record 2`) } });
    const yes = logOf(task(), calling(call('pay')), asking({ kind: 'approval' }), answering('approve'));
    expect(planIn(yes, { met: effect(2), onRepeat: 'ask' })).toMatchObject({ do: 'run' });
    const no = logOf(task(), calling(call('pay')), asking({ kind: 'approval' }), answering('deny'));
    expect(planIn(no, { met: effect(2), onRepeat: 'ask' })).toMatchObject({ do: 'settle', result: { ok: false } });
  });

  test('planCall() settles an open one by its class, with tries of its own', () => {
    const open = effect(2, { state: 'open' });
    const of = (more: object) => entry({ runId: OLD, key: oldKey(2), call: oldKey(2), attempts: 3, ...more });
    expect(planIn(log, { met: open, entry: of({ class: 'once' }) })).toMatchObject({ do: 'ask', question: { kind: 'outcome-unknown' } });
    expect(planIn(log, { met: open, entry: of({ class: 'idempotent' }) })).toMatchObject({ do: 'run', attempt: 1 });
    expect(planIn(log, { met: open, entry: of({ class: 'reconcile' }) })).toMatchObject({ do: 'find', attempt: 1 });
    expect(planIn(log, { met: open, entry: of({ state: 'started' }), over: false, now: 0 })).toMatchObject({ do: 'wait' });
    expect(planIn(log, { met: open, entry: of({ state: 'done', ok: true, output: 'paid' }) })).toMatchObject({
      do: 'settle',
      result: { reused: true },
    });
  });
});

test('planCall() takes the word of a person for that effect, also when another run of the lineage settled it before', () => {
  const said = logOf(task(), calling(call('pay')), asking({ kind: 'outcome-unknown' }), answering('done', { output: 'paid' }));
  expect(planIn(said, { met: effect(2) })).toMatchObject({
    do: 'settle',
    result: { ok: true, output: 'paid', effect: { key: oldKey(2), state: 'done' } },
  });
});

describe('cutAt()', () => {
  const log = logOf(
    task(),
    calling(call('pay')),
    asking({ kind: 'approval' }),
    answering('approve'),
    settling(wrote('done', 2)),
    saying('Done'),
    ending(),
  );

  test.each([
    [1, 1],
    [2, 2],
    [3, 2],
    [4, 2],
    [5, 5],
    [6, 6],
    [7, 6],
  ])('cutAt() of record %i branches off after record %i', (at, cut) => {
    expect(cutAt(log, at)).toBe(cut);
  });

  test('isFinished() holds after the last word of the model alone', () => {
    expect(log.map(({ seq }) => isFinished(log, seq))).toEqual([false, false, false, false, false, true, false]);
  });
});
