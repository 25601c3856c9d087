import { describe, expect, test } from 'vitest';
import { decide, stepAfter } from '../../shared/decide.ts';
import { DEFAULT_EVENT_LIMIT } from '../../shared/environment.ts';
import { EVENTS } from '../../shared/machine.ts';
import { policy } from '../../shared/policy.ts';
import type { Draft, Question, Reply, Results, RunRecord } from '../../shared/record.ts';
import {
  answering,
  asking,
  askingAboutBudget,
  askingAboutModel,
  bad,
  CALM,
  call,
  calling,
  ending,
  given,
  guarded,
  lastReply,
  logOf,
  ok,
  raising,
  replying,
  saying,
  settling,
  task,
  user,
} from '../support/log-builder.ts';

const ended = (status: string, reason: string, text: unknown = expect.any(String)) => ({
  next: 'end',
  status,
  draft: { type: 'end', status, reason, text },
});
const held = (limits: Parameters<typeof policy.parse>[0]) => ({ policy: policy.parse(limits) });

describe('after each kind of record', () => {
  test('decide() refuses an empty log', () => {
    expect(() => decide([], CALM)).toThrow(new RangeError('Cannot decide about an empty log: a run begins with its task'));
  });

  test('decide() asks the model after the task', () => given(task()).gives({ next: 'model' }));

  test('decide() asks the model after messages', () => given(task(), user('Hurry')).gives({ next: 'model' }));

  test('decide() asks the model after results', () => given(task(), calling(call()), settling(ok())).gives({ next: 'model' }));

  test('decide() runs the calls of a reply', () => {
    const log = logOf(task(), saying('I will pay'), user('Do'), calling(call()));
    expect(decide(log, CALM)).toEqual({ next: 'tools', reply: lastReply(log) });
  });

  test('decide() runs the calls of a reply that is cut off or refused: each gets its result', () => {
    for (const finish of ['cut', 'refused', 'other'] as const)
      given(task(), replying({ finish, calls: [{ index: 0, ...call() }] })).gives({ next: 'tools', reply: expect.anything() });
  });

  test('decide() waits for an answer after an ask', () => given(task(), calling(guarded()), asking({ index: 0 })).gives({ next: 'ask' }));

  test('decide() returns to the open calls after an answer', () => {
    const log = logOf(task(), calling(guarded()), asking({ index: 0 }), answering('approve'));
    expect(decide(log, CALM)).toEqual({ next: 'tools', reply: log[1] });
  });

  test('decide() returns to the open calls after several asks', () => {
    const log = logOf(task(), calling(guarded()), asking({}), answering('approve'), asking({ kind: 'escalation' }), answering('retry'));
    expect(decide(log, CALM)).toEqual({ next: 'tools', reply: log[1] });
  });

  test('decide() returns to the model after an answer about the model step', () =>
    given(task(), askingAboutModel('overloaded'), answering('retry')).gives({ next: 'model' }));

  test('decide() does not run settled calls again after an answer about the model step', () =>
    given(task(), calling(call()), settling(ok()), askingAboutModel('billing'), answering('retry')).gives({ next: 'model' }));

  test('decide() takes a denial back to the calls, not to the end', () =>
    given(task(), calling(guarded()), asking({}), answering('deny')).gives({ next: 'tools', reply: expect.anything() }));
});

describe('the end of a run', () => {
  test('decide() completes after a reply without calls', () =>
    given(task(), saying('All paid')).gives(ended('completed', 'final-reply', 'All paid')));

  test('decide() fails a run whose model refuses, with its words or ours', () => {
    given(task(), saying('I will not', 'refused')).gives(ended('failed', 'refused', 'I will not'));
    given(task(), saying('', 'refused')).gives(ended('failed', 'refused', 'The model refused to answer'));
  });

  test('decide() fails a run whose last text is cut off', () =>
    given(task(), saying('All pa', 'cut')).gives(ended('failed', 'output-limit', 'All pa')));

  test('decide() asks again after an empty or blank reply', () => {
    given(task(), saying('')).gives({ next: 'model' });
    given(task(), saying(' \n\t'), saying('', 'cut')).gives({ next: 'model' });
  });

  test('decide() fails after as many bad replies in a row as the policy says', () => {
    given(task(), saying(''), saying(''), saying('')).gives(ended('failed', 'empty-reply', 'The model gave 3 empty replies in a row'));
    given(task(), saying(''))
      .when(held({ maxBadReplies: 1 }))
      .gives(ended('failed', 'empty-reply'));
  });

  test('decide() fails when the model is cut off in its calls again and again', () => {
    const cut = replying({ finish: 'cut', calls: [{ index: 0, ...call('pay', { invalid: 'Cut' }) }] });
    given(task(), cut, settling(bad()), cut, settling(bad(2))).gives({ next: 'model' });
    given(task(), cut, settling(bad()), cut, settling(bad(2)), cut, settling(bad(3))).gives(ended('failed', 'output-limit'));
  });

  test('decide() counts bad replies from the last good one, or the last message', () => {
    given(task(), saying(''), saying(''), calling(call()), settling(ok()), saying('')).gives({ next: 'model' });
    given(task(), saying(''), saying(''), user('Hello?'), saying('')).gives({ next: 'model' });
  });

  test('decide() ends when a person aborts, in words of theirs or ours', () => {
    given(task(), calling(guarded()), asking({}), answering('abort')).gives(ended('failed', 'aborted', 'Aborted by Ann'));
    given(task(), calling(guarded()), asking({}), answering('abort', { comment: 'Wrong shop' })).gives(
      ended('failed', 'aborted', 'Wrong shop'),
    );
    given(task(), askingAboutModel(), answering('abort')).gives(ended('failed', 'aborted'));
  });

  test('decide() ends when one of several answers aborts', () =>
    given(
      task(),
      calling(guarded('pay'), guarded('mail')),
      asking({ index: 0 }, { index: 1 }),
      answering([
        { index: 0, decision: 'approve' },
        { index: 1, decision: 'abort' },
      ]),
    ).gives(ended('failed', 'aborted')));

  test('decide() leaves an ended run ended, without a second end', () => {
    for (const status of ['completed', 'failed', 'cancelled'] as const) given(task(), ending(status)).gives({ next: 'end', status });
    given(task(), ending('failed')).when({ cancelledBy: 'Ann', waitUntil: 9e15, events: 9e9 }).gives({ next: 'end', status: 'failed' });
  });
});

describe('messages', () => {
  const messages = true;

  test('decide() takes messages in before it asks the model', () => {
    given(task()).when({ messages }).gives({ next: 'model', take: 'messages' });
    given(task(), calling(call()), settling(ok())).when({ messages }).gives({ next: 'model', take: 'messages' });
    given(task(), saying('')).when({ messages }).gives({ next: 'model', take: 'messages' });
  });

  test('decide() takes messages in instead of ending with a final reply', () =>
    given(task(), saying('Done')).when({ messages }).gives({ next: 'model', take: 'messages' }));

  test('decide() opens a completed run again for a message, and no other', () => {
    given(task(), ending('completed')).when({ messages }).gives({ next: 'model', take: 'messages' });
    given(task(), ending('failed')).when({ messages }).gives({ next: 'end', status: 'failed' });
    given(task(), ending('cancelled')).when({ messages }).gives({ next: 'end', status: 'cancelled' });
  });

  test('decide() puts no message between a reply and its results', () => {
    given(task(), calling(call())).when({ messages }).gives({ next: 'tools', reply: expect.anything() });
    given(task(), calling(guarded()), asking({})).when({ messages }).gives({ next: 'ask' });
    given(task(), calling(guarded()), asking({}), answering('approve'))
      .when({ messages })
      .gives({ next: 'tools', reply: expect.anything() });
  });
});

describe('the budget of turns', () => {
  const twoTurns = [task(), calling(call()), settling(ok()), calling(call()), settling(ok())];
  const limit = { next: 'ask', draft: expect.objectContaining({ type: 'ask', kind: 'escalation', reason: 'turn-limit' }) };

  test('decide() asks a person at the limit', () => {
    given(...twoTurns)
      .when(held({ maxTurns: 3 }))
      .gives({ next: 'model' });
    given(...twoTurns)
      .when(held({ maxTurns: 2 }))
      .gives(limit);
  });

  test('decide() takes messages in before it asks: one of them may raise the limit', () => {
    given(...twoTurns)
      .when({ ...held({ maxTurns: 2 }), messages: true })
      .gives({ next: 'model', take: 'messages' });
    given(...twoTurns, user('Hurry'))
      .when(held({ maxTurns: 2 }))
      .gives(limit);
    given(...twoTurns, raising({ turns: 1 }))
      .when(held({ maxTurns: 2 }))
      .gives({ next: 'model' });
  });

  test('decide() counts empty replies as turns', () =>
    given(task(), saying(''))
      .when(held({ maxTurns: 1 }))
      .gives(limit));

  test('decide() grants as many turns again when a person says so', () => {
    const granted = [...twoTurns, askingAboutModel('turn-limit'), answering('retry')];
    given(...granted)
      .when(held({ maxTurns: 2 }))
      .gives({ next: 'model' });
    given(...granted, calling(call()), settling(ok()), calling(call()), settling(ok()))
      .when(held({ maxTurns: 2 }))
      .gives(limit);
  });

  const reached = [...twoTurns, askingAboutBudget('turn-limit', 'turns', 2)];

  test('decide() lets the run go on by the amount that a person says', () => {
    given(...reached, answering('raise', { amount: 1 }))
      .when(held({ maxTurns: 2 }))
      .gives({ next: 'model' });
    given(...reached, answering('raise', { amount: 1 }), calling(call()), settling(ok()))
      .when(held({ maxTurns: 2 }))
      .gives(limit);
  });

  test('decide() gives a run that is to finish up one more turn, whatever waits, and ends it with its last text', () => {
    const finishing = [...reached, answering('finish')];
    given(...finishing)
      .when({ ...held({ maxTurns: 2 }), messages: true })
      .gives({ next: 'model' });
    given(...finishing, saying('So far so good'))
      .when(held({ maxTurns: 2 }))
      .gives(ended('completed', 'turn-limit', 'So far so good'));
    given(...finishing, askingAboutModel('overloaded'), answering('retry'))
      .when(held({ maxTurns: 2 }))
      .gives({ next: 'model' });
  });

  test('decide() answers the calls that a run makes although it is to finish up, and ends it then', () => {
    const stubborn = [...reached, answering('finish'), replying({ text: 'Just one', calls: [{ index: 0, ...call() }] })];
    given(...stubborn)
      .when(held({ maxTurns: 2 }))
      .gives({ next: 'tools', reply: expect.anything() });
    given(...stubborn, settling(bad()))
      .when(held({ maxTurns: 2 }))
      .gives(ended('completed', 'turn-limit', 'Just one'));
  });

  test('decide() ends a run that is stopped at a limit with its last text, as failed', () => {
    given(task(), saying('Hm', 'cut'), askingAboutBudget('turn-limit', 'turns', 1), answering('stop'))
      .when(held({ maxTurns: 1 }))
      .gives(ended('failed', 'turn-limit', 'Hm'));
    given(...reached, answering('stop'))
      .when(held({ maxTurns: 2 }))
      .gives(ended('failed', 'turn-limit', 'Stopped by Ann'));
  });

  test('decide() goes on with a message after an end at a limit, and with none after any other failure', () => {
    const after = { messages: true };
    given(...reached, answering('stop'), ending('failed', 'turn-limit'))
      .when(after)
      .gives({ next: 'model', take: 'messages' });
    given(task(), ending('failed', 'aborted')).when(after).gives({ next: 'end', status: 'failed' });
  });

  test('decide() grants no turns for an answer to anything else', () =>
    given(...twoTurns, askingAboutModel('overloaded'), answering('retry'))
      .when(held({ maxTurns: 2 }))
      .gives(limit));

  test('decide() lets a final reply end the run at its limit', () =>
    given(task(), saying('Done'))
      .when(held({ maxTurns: 1 }))
      .gives(ended('completed', 'final-reply', 'Done')));
});

describe('circumstances', () => {
  const logs = [[task()], [task(), calling(call())], [task(), calling(guarded()), asking({})], [task(), saying('Done')]];

  test('decide() puts a cancel before everything but the end', () => {
    for (const log of logs)
      given(...log)
        .when({ cancelledBy: 'Bob', waitUntil: 9e15, events: 9e9, messages: true })
        .gives(ended('cancelled', 'cancelled', 'Cancelled by Bob'));
  });

  test('decide() takes an empty name for a cancel too', () =>
    given(task()).when({ cancelledBy: '' }).gives(ended('cancelled', 'cancelled')));

  test('decide() waits before it continues elsewhere, until the time and not after', () => {
    given(task()).when({ now: 10, waitUntil: 11, events: 9e9 }).gives({ next: 'wait', until: 11 });
    given(task()).when({ now: 11, waitUntil: 11 }).gives({ next: 'model' });
  });

  test('decide() continues in the next segment at the event limit, and not before', () => {
    for (const log of logs)
      given(...log)
        .when({ events: 1000, eventLimit: 1000 })
        .gives({ next: 'continue' });
    given(task()).when({ events: 999, eventLimit: 1000 }).gives({ next: 'model' });
  });

  test.each([
    ['2,500 turns', 2_500, 0, 2],
    ['a month of looking every ten minutes, each after a wait', 4_320, EVENTS.wait + EVENTS.choice, 4],
  ])('decide() takes %s through segments, none of which comes near to the limit of Step Functions', (_, turns, waiting, segments) => {
    const log: RunRecord[] = [...logOf(task(), calling(call()), settling(ok()))];
    const [reply, results] = log.slice(1) as [Reply, Results];
    const around = { ...CALM, ...held({ maxTurns: turns + 1 }), eventLimit: DEFAULT_EVENT_LIMIT };
    const aTurn = 2 * EVENTS.task + EVENTS.choice + waiting;
    const found = { segments: 1, most: 0 };
    for (let turn = 1, events = 1; turn <= turns; turn++) {
      if (turn > 1) log.push({ ...reply, seq: 2 * turn }, { ...results, seq: 2 * turn + 1, reply: 2 * turn });
      events += aTurn;
      found.most = Math.max(found.most, events);
      if (decide(log, { ...around, events }).next === 'continue') [found.segments, events] = [found.segments + 1, 1];
      expect(decide(log, { ...around, events })).toEqual({ next: 'model' });
    }
    expect(found.segments).toBe(segments);
    expect(found.most).toBeLessThan(25_000 - 1_000);
  });
});

describe('stepAfter()', () => {
  test('stepAfter() names the step that writes the next record', () => {
    expect(stepAfter([])).toBe('none');
    expect(stepAfter(logOf(task()))).toBe('model');
    expect(stepAfter(logOf(task(), saying('Done')))).toBe('model');
    expect(stepAfter(logOf(task(), calling(call())))).toBe('tools');
    expect(stepAfter(logOf(task(), calling(call()), settling(ok())))).toBe('model');
    expect(stepAfter(logOf(task(), calling(guarded()), asking({})))).toBe('answer');
    expect(stepAfter(logOf(task(), calling(guarded()), asking({}), answering('approve')))).toBe('tools');
    expect(stepAfter(logOf(task(), askingAboutModel(), answering('retry')))).toBe('model');
    expect(stepAfter(logOf(task(), saying('Done'), ending()))).toBe('none');
    expect(stepAfter(logOf(task(), saying('Done'), ending(), user('More')))).toBe('model');
  });
});

describe('an ask that nobody answers', () => {
  const waiting = (more: Partial<Question>) => [task(), calling(guarded()), asking({ index: 0, expiresAt: 100, ...more })];
  const expired = (more: Partial<Question>) => given(...waiting(more), answering('expired'));

  test('decide() waits until it is too late, then lets the clock answer', () => {
    given(...waiting({}))
      .when({ now: 99 })
      .gives({ next: 'ask' });
    given(...waiting({}))
      .when({ now: 100 })
      .gives({
        next: 'ask',
        draft: { type: 'answer', ask: 3, by: 'the clock', via: 'clock', answers: [{ index: 0, decision: 'expired' }] },
      });
  });

  test('decide() goes on without the call, or ends the run, as the policy says', () => {
    expired({}).gives({ next: 'tools', reply: expect.anything() });
    expired({ onExpiry: 'stop' }).gives(ended('failed', 'ask-expired', 'Nobody answered in time'));
  });

  test('decide() asks the next in line', () =>
    expired({ escalateTo: ['bob@example.test'], expiresInSeconds: 9, onExpiry: 'stop' })
      .when({ now: 1000 })
      .gives({
        next: 'ask',
        draft: expect.objectContaining({
          type: 'ask',
          reason: 'escalated',
          questions: [expect.objectContaining({ approvers: ['bob@example.test'], escalateTo: [], expiresAt: 10_000 })],
        }),
      }));

  test('decide() closes only what is too late', () => {
    const log = [task(), calling(guarded(), guarded('mail')), asking({ index: 0, expiresAt: 100 }, { index: 1 })];
    given(...log)
      .when({ now: 100 })
      .gives({ next: 'ask', draft: expect.objectContaining({ answers: [{ index: 0, decision: 'expired' }] }) });
    given(...log, answering([{ index: 0, decision: 'expired' }]))
      .when({ now: 200 })
      .gives({ next: 'ask' });
  });
});

describe('an ask that several answer', () => {
  const two = [task(), calling(guarded(), guarded('mail')), asking({ index: 0 }, { index: 1 })];

  test('decide() waits until every question has its answer', () => {
    given(...two, answering([{ index: 1, decision: 'approve' }])).gives({ next: 'ask' });
    given(...two, answering([{ index: 1, decision: 'approve' }]), answering([{ index: 0, decision: 'deny' }])).gives({
      next: 'tools',
      reply: expect.anything(),
    });
  });

  test('decide() waits for nobody once the run is aborted', () =>
    given(...two, answering([{ index: 1, decision: 'abort' }])).gives(ended('failed', 'aborted', 'Aborted by Ann')));
});

describe('decide() about what a run is pinned to', () => {
  const served = (servedModel: string, calls = true) =>
    replying({ servedModel, text: 'Hi', ...(calls ? { calls: [{ index: 0, ...call() }] } : {}) });
  const strange = [task(), served('a-1'), settling({ ok: true }), served('a-2')] as const;
  const draft = { type: 'ask', kind: 'restart', reason: 'served-model' };
  const agreed: Draft = {
    type: 'answer',
    ask: 5,
    by: 'Ann',
    via: 'API',
    answers: [{ decision: 'repin', pin: { model: 'openai/a', machine: 'm', served: ['a-1', 'a-2'] } }],
  };

  test('asks before anything follows from the reply of another model than was served before', () =>
    given(...strange).gives({ next: 'ask', draft: expect.objectContaining(draft) }));

  test('says in the ask which model it was and which it is', () => {
    const next = decide(logOf(...strange), CALM);
    expect(next).toMatchObject({
      draft: { questions: [{ text: expect.stringMatching(/served a-2 .* a-1 before/), choices: ['repin', 'restart', 'abort'] }] },
    });
  });

  test('goes on at once where the agent adopts what drifts', () =>
    given(...strange)
      .when({ policy: { ...CALM.policy, onDrift: { adopt: 'Ada' } } })
      .gives({ next: 'tools', reply: expect.objectContaining({ seq: 4 }) }));

  test('goes on from that reply once somebody has agreed', () => {
    const asked = { ...draft, questions: [{ kind: 'restart', text: 'Well?', choices: ['repin', 'abort'] }] } as Draft;
    given(...strange, asked, agreed).gives({ next: 'tools', reply: expect.objectContaining({ seq: 4 }) });
    given(task(), served('a-1'), settling({ ok: true }), served('a-2', false), asked, agreed).gives({
      next: 'end',
      status: 'completed',
      draft: expect.objectContaining({ reason: 'final-reply', text: 'Hi' }),
    });
  });

  test('still asks about that reply when other code was asked about first', () => {
    const asked = {
      ...draft,
      reason: 'code-changed',
      questions: [{ kind: 'restart', text: 'Well?', choices: ['repin', 'retry'] }],
    } as Draft;
    const stays: Draft = { type: 'answer', ask: 5, by: 'Ann', via: 'API', answers: [{ decision: 'retry' }] };
    given(...strange, asked, stays).gives({ next: 'ask', draft: expect.objectContaining(draft) });
  });

  test('hands a run over to the version that it was given to', () => given(task()).when({ handOver: true }).gives({ next: 'continue' }));
});
