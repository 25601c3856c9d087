import { describe, expect, test } from 'vitest';
import {
  answersTo,
  badRepliesInARow,
  callsAsRun,
  doneCalls,
  earlierEffect,
  editsOf,
  failedJustBefore,
  isBad,
  isEmpty,
  type Log,
  lastText,
  latest,
  openReply,
  takenMessages,
} from '../../shared/log.ts';
import type { Call, Reply } from '../../shared/record.ts';
import {
  answering,
  asking,
  askingAboutModel,
  bad,
  call,
  calling,
  ending,
  guarded,
  lastReply,
  logOf,
  ok,
  replying,
  type Step,
  saying,
  settling,
  task,
  user,
  wrote,
} from '../support/log-builder.ts';

const decisions = (log: Log, seq: number, index: number) =>
  answersTo(log, log[seq - 1] as Reply, index).map(({ answer }) => answer.decision);

describe('openReply()', () => {
  test('openReply() finds the reply whose calls lack results, through asks and answers', () => {
    const steps: Step[] = [task(), calling(guarded())];
    expect(openReply(logOf(...steps))?.seq).toBe(2);
    expect(openReply(logOf(...steps, asking({})))?.seq).toBe(2);
    expect(openReply(logOf(...steps, asking({}), answering('approve'), asking({}), answering('retry')))?.seq).toBe(2);
  });

  test('openReply() finds none where nothing is open', () => {
    expect(openReply([])).toBeUndefined();
    expect(openReply(logOf(task()))).toBeUndefined();
    expect(openReply(logOf(task(), saying('Done')))).toBeUndefined();
    expect(openReply(logOf(task(), saying(''), askingAboutModel(), answering('retry')))).toBeUndefined();
    expect(openReply(logOf(task(), calling(call()), settling(ok())))).toBeUndefined();
    expect(openReply(logOf(task(), calling(call()), settling(ok()), askingAboutModel(), answering('retry')))).toBeUndefined();
    expect(openReply(logOf(task(), calling(call()), ending('cancelled')))).toBeUndefined();
  });
});

test('latest() returns the newest record of a type', () => {
  const log = logOf(task(), user('a'), saying(''), user('b'));
  expect(latest(log, 'user')?.seq).toBe(4);
  expect(latest(log, 'end')).toBeUndefined();
});

describe('answersTo()', () => {
  test('answersTo() returns the answers about one call, oldest first, with their questions', () => {
    const log = logOf(
      task(),
      calling(guarded('pay'), guarded('mail')),
      asking({ index: 0 }, { index: 1 }),
      answering([
        { index: 1, decision: 'deny' },
        { index: 0, decision: 'approve' },
      ]),
      asking({ index: 0, kind: 'escalation' }),
      answering('retry'),
    );
    expect(decisions(log, 2, 0)).toEqual(['approve', 'retry']);
    expect(decisions(log, 2, 1)).toEqual(['deny']);
    expect(answersTo(log, log[1] as Reply, 0)).toMatchObject([
      { seq: 4, by: 'Ann', question: { kind: 'approval', index: 0 } },
      { seq: 6, by: 'Ann', question: { kind: 'escalation', index: 0 } },
    ]);
  });

  test('answersTo() gives a reply neither the answers of an earlier one nor those of a later one', () => {
    const log = logOf(
      task(),
      calling(guarded()),
      asking({}),
      answering('approve'),
      settling(ok()),
      calling(guarded()),
      asking({}),
      answering('deny'),
    );
    expect(decisions(log, 2, 0)).toEqual(['approve']);
    expect(decisions(log, 6, 0)).toEqual(['deny']);
  });

  test('answersTo() takes no answer about the model step for one about a call', () => {
    const log = logOf(task(), askingAboutModel(), answering('retry'), calling(guarded()));
    expect(decisions(log, 4, 0)).toEqual([]);
  });
});

describe('edited arguments', () => {
  const edit = { input: { amount: 2 }, inputHash: 'pay {"amount":2}' };
  const steps: Step[] = [
    task(),
    calling(guarded(), call('mail')),
    asking({ index: 0 }),
    answering([{ index: 0, decision: 'approve', edit }]),
  ];

  test('callsAsRun() puts the arguments of a person in place of those of the model', () => {
    const log = logOf(...steps);
    expect(callsAsRun(log, lastReply(log))).toMatchObject([
      { ...edit, tool: 'pay' },
      { input: { amount: 1 }, tool: 'mail' },
    ]);
    expect(editsOf(log, lastReply(log))).toEqual(new Map([[0, { by: 'Ann', edit }]]));
  });

  test('callsAsRun() keeps no business key of arguments that are not run', () => {
    const log = logOf(task(), calling(call('pay', { businessKey: 'bill-1' }), call('mail', { businessKey: 'mail-1' })), ...steps.slice(2));
    expect(callsAsRun(log, lastReply(log)).map(({ businessKey }) => businessKey)).toEqual([undefined, 'mail-1']);
  });

  test('an effect is known by the arguments that it ran with', () => {
    const log = logOf(...steps, settling(wrote('done', 2), ok()), calling(call('pay', edit), call('pay')));
    const [same, other] = lastReply(log).calls as [Call, Call];
    expect(earlierEffect(log, lastReply(log), same)).toMatchObject({ seq: 2, index: 0 });
    expect(earlierEffect(log, lastReply(log), other)).toBeUndefined();
    const failed = logOf(...steps, settling(bad(2), ok()), calling(call('pay', edit)));
    expect(failedJustBefore(failed, lastReply(failed), same)).toBe(2);
  });

  test('doneCalls() lists what took effect, with the arguments it ran with', () => {
    const log = logOf(...steps, settling(wrote('done', 2, 0, { edited: { by: 'Ann', input: edit.input } }), wrote('failed', 2, 1)));
    expect(doneCalls(log, 'pay')).toEqual([{ input: { amount: 2 }, output: 'done' }]);
    expect(doneCalls(log, 'mail')).toEqual([]);
  });
});

describe('failedJustBefore()', () => {
  const spent = (...steps: Step[]) => {
    const log = logOf(...steps);
    const reply = lastReply(log);
    return failedJustBefore(log, reply, reply.calls[0] as Call);
  };

  test('failedJustBefore() carries the tries of an equal call that failed', () => {
    expect(spent(task(), calling(call()))).toBe(0);
    expect(spent(task(), calling(call()), settling(bad(2)), calling(call()))).toBe(2);
  });

  test('failedJustBefore() looks past messages and asks', () => {
    expect(spent(task(), calling(call()), settling(bad(2)), user('Try on'), calling(call()))).toBe(2);
    expect(spent(task(), calling(call()), settling(bad(2)), askingAboutModel('overloaded'), answering('retry'), calling(call()))).toBe(2);
    expect(spent(task(), calling(call()), asking({}), answering('retry'), settling(bad(2)), calling(call()))).toBe(2);
  });

  test('failedJustBefore() counts no success, no other arguments, no older turn', () => {
    expect(spent(task(), calling(call()), settling(ok()), calling(call()))).toBe(0);
    expect(spent(task(), calling(call('pay', { input: { amount: 2 } })), settling(bad(2)), calling(call()))).toBe(0);
    expect(spent(task(), calling(call('mail')), settling(bad(2)), calling(call('pay')))).toBe(0);
    expect(spent(task(), calling(call()), settling(bad(2)), calling(call('mail')), settling(ok()), calling(call()))).toBe(0);
    expect(spent(task(), calling(call()), settling(bad(2)), saying(''), calling(call()))).toBe(0);
  });

  test('failedJustBefore() finds the call by its arguments, not by its place or the provider id', () => {
    const turn = [calling(call('mail', { providerId: 'x' }), call('pay', { providerId: 'x' })), settling(ok(), bad(2))];
    expect(spent(task(), ...turn, calling(call('pay', { providerId: 'y' })))).toBe(2);
    expect(spent(task(), ...turn, calling(call('mail', { providerId: 'x' })))).toBe(0);
  });
});

describe('earlierEffect()', () => {
  const earlier = (steps: Step[], index = 0) => {
    const log = logOf(...steps);
    const reply = lastReply(log);
    const found = earlierEffect(log, reply, reply.calls[index] as Call);
    return found && [found.seq, found.index, found.result.effect?.state];
  };

  test('earlierEffect() finds the newest equal call that is done', () => {
    expect(earlier([task(), calling(call())])).toBeUndefined();
    expect(earlier([task(), calling(call()), settling(wrote('done', 2)), calling(call())])).toEqual([2, 0, 'done']);
    const twice = [task(), calling(call()), settling(wrote('done', 2)), calling(call()), settling(wrote('done', 4)), calling(call())];
    expect(earlier(twice)).toEqual([4, 0, 'done']);
  });

  test('earlierEffect() looks past turns of other calls, texts, asks and ends', () => {
    const between = [calling(call('mail')), settling(ok()), saying('Done'), ending(), user('Again')];
    expect(earlier([task(), calling(call()), settling(wrote('done', 2)), ...between, calling(call())])).toEqual([2, 0, 'done']);
  });

  test('earlierEffect() finds nothing in calls that failed, had no effect, or had other arguments', () => {
    expect(earlier([task(), calling(call()), settling(wrote('failed', 2)), calling(call())])).toBeUndefined();
    expect(earlier([task(), calling(call()), settling(bad()), calling(call())])).toBeUndefined();
    expect(earlier([task(), calling(call()), settling(wrote('done', 2)), calling(call('pay', { input: null }))])).toBeUndefined();
  });

  test('earlierEffect() does not look at the calls of the reply itself', () => {
    expect(earlier([task(), calling(call(), call())], 1)).toBeUndefined();
  });

  test('earlierEffect() finds an open effect behind an equal call that is done', () => {
    const steps = [task(), calling(call(), call()), settling(wrote('unknown', 2, 0), wrote('done', 2, 1)), calling(call())];
    expect(earlier(steps)).toEqual([2, 0, 'unknown']);
  });

  test('earlierEffect() names the call that first began an effect, however often it was asked for again', () => {
    const again = [calling(call()), settling(wrote('unknown', 2))];
    expect(earlier([task(), ...again, ...again, ...again, calling(call())])).toEqual([2, 0, 'unknown']);
  });

  test('earlierEffect() believes the newest result about a key', () => {
    const open = [task(), calling(call()), settling(wrote('unknown', 2)), calling(call())];
    expect(earlier([...open, settling(wrote('failed', 2)), calling(call())])).toBeUndefined();
    expect(earlier([...open, settling(wrote('done', 2)), calling(call())])).toEqual([2, 0, 'done']);
    expect(earlier([...open, settling(bad(0)), calling(call())])).toEqual([2, 0, 'unknown']);
  });

  test('earlierEffect() gives each of several equal calls an open effect of its own', () => {
    const steps = [
      task(),
      calling(call(), call('mail'), call()),
      settling(wrote('unknown', 2, 0), ok(), wrote('unknown', 2, 2)),
      calling(call(), call(), call()),
    ];
    expect([0, 1, 2].map((index) => earlier(steps, index))).toEqual([[2, 0, 'unknown'], [2, 2, 'unknown'], undefined]);
  });
});

test('badRepliesInARow() counts from the end, to a good reply or a message', () => {
  const cut = replying({ finish: 'cut', calls: [{ index: 0, ...call() }] });
  expect(badRepliesInARow(logOf(task()))).toBe(0);
  expect(badRepliesInARow(logOf(task(), saying(''), saying(' '), cut, settling(bad())))).toBe(3);
  expect(badRepliesInARow(logOf(task(), saying(''), askingAboutModel('overloaded'), answering('retry'), saying('')))).toBe(2);
  expect(badRepliesInARow(logOf(task(), saying(''), user('Hello?')))).toBe(0);
  expect(badRepliesInARow(logOf(task(), saying(''), saying('Hm'), saying('')))).toBe(1);
});

test('isEmpty() and isBad() tell replies that are of no use', () => {
  const seen = (draft: ReturnType<typeof saying>) => {
    const reply = lastReply(logOf(draft));
    return [isEmpty(reply), isBad(reply)];
  };
  expect(seen(saying(' \n'))).toEqual([true, true]);
  expect(seen(saying('Done'))).toEqual([false, false]);
  expect(seen(saying('Don', 'cut'))).toEqual([false, true]);
  expect(seen(saying('', 'refused'))).toEqual([true, true]);
  expect(seen(calling(call()))).toEqual([false, false]);
  expect(seen(saying('I will look it up', 'calls'))).toEqual([true, true]);
});

test('lastText() returns what the model said last', () => {
  expect(lastText(logOf(task()))).toBe('');
  expect(lastText(logOf(task(), saying('Hm'), saying(' '), calling(call())))).toBe('Hm');
});

test('takenMessages() returns the ids of all messages in the log', () => {
  expect(takenMessages(logOf(task()))).toEqual(new Set());
  expect(takenMessages(logOf(task(), user('a', 'b'), saying(''), user('c')))).toEqual(new Set(['m-a', 'm-b', 'm-c']));
});
