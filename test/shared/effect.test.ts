import { describe, expect, test } from 'vitest';
import { callFacts, type EffectRecord, effectRecord, fromEntry, planCall } from '../../shared/effect.ts';
import { callsAsRun, type Log } from '../../shared/log.ts';
import { type AnswerTo, type Call, type Draft, type EffectClass, effectClass } from '../../shared/record.ts';
import {
  answering,
  append,
  asking,
  askingAboutModel,
  bad,
  call,
  calling,
  entry,
  givenCall,
  guarded,
  keyAt,
  lastReply,
  logOf,
  ok,
  planIn,
  RUN_ID,
  type Step,
  settling,
  task,
  wrote,
} from '../support/log-builder.ts';

const of = (effect: EffectClass) => call('pay', { class: effect });
const asks = (kind: string, choices: string[]) => ({ do: 'ask', question: { kind, index: 0, tool: 'pay', input: { amount: 1 }, choices } });
const escalates = asks('escalation', ['retry', 'result', 'skip', 'abort']);
const asksOutcome = asks('outcome-unknown', ['done', 'not-done', 'abort']);
const runs = (attempt: number) => ({ do: 'run', attempt });
const settles = (result: object) => ({ do: 'settle', result: { index: 0, ...result } });
const WRITING = ['idempotent', 'reconcile', 'once'] as const;

describe('a call that nothing is known of', () => {
  test.each(effectClass.options)('planCall() runs a %s call', (effect) => givenCall(task(), calling(of(effect))).gives(runs(1)));

  test.each(effectClass.options)('planCall() counts on from equal %s calls that failed just before', (effect) => {
    givenCall(task(), calling(of(effect)), settling(bad(2)), calling(of(effect))).gives(runs(3));
    givenCall(task(), calling(of(effect)), settling(bad(3)), calling(of(effect))).gives(escalates);
    givenCall(task(), calling(of(effect)), settling(bad(1)), calling(of(effect)))
      .when({ maxAttempts: 1 })
      .gives(escalates);
  });

  test('planCall() says how often the call failed when it asks', () => {
    const log = logOf(task(), calling(call()), settling(bad(3)), calling(call()));
    expect(planIn(log)).toMatchObject({ question: { text: expect.stringContaining('pay failed 3 times with these arguments') } });
  });

  test('planCall() counts a read that an earlier invocation may have begun unmarked', () => {
    givenCall(task(), calling(of('read')))
      .when({ begunUnmarked: true })
      .gives(runs(2));
    givenCall(task(), calling(of('read')))
      .when({ begunUnmarked: true, maxAttempts: 1 })
      .gives(escalates);
    givenCall(task(), calling(of('read')), asking({ kind: 'escalation' }), answering('retry'))
      .when({ begunUnmarked: true, maxAttempts: 1 })
      .gives(runs(1));
  });
});

describe('a call that can never run', () => {
  const invalid = (more: object = {}) => call('pay', { invalid: 'Not run: no such argument', ...more });

  test('planCall() settles an invalid call with its reason and never runs it', () =>
    givenCall(task(), calling(invalid())).gives(settles({ ok: false, output: 'Not run: no such argument', attempts: 1 })));

  test('planCall() asks for no consent to an invalid call', () =>
    givenCall(task(), calling(invalid({ approval: { reason: 'Dear' } }))).gives(settles({ ok: false })));

  test('planCall() asks a person about an invalid call that is made again and again', () => {
    const again = [calling(invalid()), settling(bad(3)), calling(invalid())];
    givenCall(task(), ...again).gives(escalates);
    givenCall(task(), ...again, asking({ kind: 'escalation' }), answering('retry')).gives(settles({ ok: false, attempts: 1 }));
    givenCall(task(), ...again, asking({ kind: 'escalation' }), answering('result', { output: 7 })).gives(settles({ ok: true, output: 7 }));
  });

  test('planCall() lets an invalid call touch no ledger entry', () =>
    givenCall(task(), calling(invalid()))
      .when({ entry: entry({ state: 'done', ok: true }) })
      .gives(settles({ ok: false })));
});

describe('consent', () => {
  const asked = [task(), calling(guarded()), asking({})];

  test('planCall() asks before a guarded call, with the call as it would run', () =>
    givenCall(task(), calling(guarded())).gives({
      do: 'ask',
      question: {
        kind: 'approval',
        index: 0,
        tool: 'pay',
        input: { amount: 1 },
        inputHash: call().inputHash,
        text: 'May pay run? It is dear',
        choices: ['approve', 'deny'],
      },
    }));

  test.each(effectClass.options)('planCall() runs a guarded %s call after a yes', (effect) =>
    givenCall(task(), calling(guarded('pay', { class: effect })), asking({}), answering('approve')).gives(runs(1)),
  );

  test('planCall() settles a denied call with who and why', () => {
    givenCall(...asked, answering('deny')).gives(settles({ ok: false, output: 'Not run: Ann denied this call', attempts: 0 }));
    givenCall(...asked, answering('deny', { comment: 'Too dear' })).gives(settles({ output: 'Not run: Ann denied this call: Too dear' }));
  });

  test('planCall() takes a yes for the very call that was shown, by its hash', () =>
    givenCall(task(), calling(guarded()), asking({ inputHash: 'another' }), answering('approve')).gives({
      do: 'ask',
      question: { kind: 'approval' },
    }));

  test('planCall() takes no yes without a hash', () => {
    const asking_ = (log: Parameters<ReturnType<typeof asking>>[0]) => {
      const draft = asking({})(log);
      return draft.type === 'ask' ? { ...draft, questions: draft.questions.map(({ inputHash: _, ...rest }) => rest) } : draft;
    };
    givenCall(task(), calling(guarded()), asking_, answering('approve')).gives({ do: 'ask', question: { kind: 'approval' } });
  });

  test.each(['retry', 'not-done'] as const)('planCall() takes "%s" for no yes', (decision) =>
    givenCall(...asked, answering(decision)).gives({ do: 'ask', question: { kind: 'approval' } }),
  );

  test('planCall() takes a yes to a question of another kind for no yes', () =>
    givenCall(task(), calling(guarded()), asking({ kind: 'escalation' }), answering('approve')).gives({
      do: 'ask',
      question: { kind: 'approval' },
    }));

  test('planCall() takes a yes to another call of the reply for no yes', () =>
    givenCall(
      task(),
      calling(guarded(), guarded()),
      asking({ index: 0 }, { index: 1 }),
      answering([
        { index: 1, decision: 'approve' },
        { index: 0, decision: 'deny' },
      ]),
    ).gives(settles({ ok: false })));

  test('planCall() takes a yes to an equal call of an earlier reply for no yes', () =>
    givenCall(...asked, answering('approve'), settling(wrote('done', 2)), calling(guarded())).gives({
      do: 'ask',
      question: { kind: 'approval' },
    }));

  test('planCall() runs no guarded call that a person lets try again without a yes', () => {
    const failed = [task(), calling(guarded()), settling(bad(3)), calling(guarded())];
    givenCall(...failed, asking({ kind: 'escalation' }), answering('retry')).gives({ do: 'ask', question: { kind: 'approval' } });
  });

  test('planCall() keeps a no when the step is tried again', () =>
    givenCall(...asked, answering('deny'), asking({ kind: 'escalation' }), answering('retry')).gives(
      settles({ ok: false, output: 'Not run: Ann denied this call' }),
    ));

  test('planCall() heeds a no to a call whose effect another run or call has begun', () =>
    givenCall(...asked, answering('deny'))
      .when({ entry: entry({ seen: 50, runId: 'another' }) })
      .gives(settles({ ok: false, output: 'Not run: Ann denied this call' })));

  test('planCall() asks for consent before it repeats anything', () =>
    givenCall(task(), calling(guarded()))
      .when({ entry: entry({ class: 'idempotent' }) })
      .gives({
        do: 'ask',
        question: { kind: 'approval' },
      }));
});

describe('a call that the ledger has settled', () => {
  test.each(WRITING)('planCall() does not run a %s call that is done', (effect) =>
    givenCall(task(), calling(of(effect)))
      .when({ entry: entry({ class: effect, state: 'done', ok: true, output: { id: 1 }, attempts: 2, ms: 9 }) })
      .gives(settles({ ok: true, output: { id: 1 }, attempts: 2, ms: 9, effect: { key: keyAt(2), state: 'done' } })),
  );

  test('planCall() does not run a read again whose result is kept', () => {
    const kept = entry({ class: 'read', state: 'done', ok: true, output: 5 });
    const plan = planIn(logOf(task(), calling(of('read'))), { entry: kept, begunUnmarked: true });
    expect(plan).toEqual({ do: 'settle', result: { index: 0, ok: true, output: 5, attempts: 1 } });
  });

  test('planCall() settles a call that certainly had no effect as failed', () =>
    givenCall(task(), calling(call()))
      .when({ entry: entry({ state: 'failed', ok: false, output: 'No funds' }) })
      .gives(settles({ ok: false, output: 'No funds', effect: { state: 'failed' } })));

  test('planCall() settles a done call whose output is lost as done all the same', () =>
    givenCall(task(), calling(call()))
      .when({ entry: entry({ state: 'done', ok: false, output: 'Too large' }) })
      .gives(settles({ ok: false, output: 'Too large', effect: { state: 'done' } })));
});

describe('a call that was begun and has no outcome', () => {
  const open = (effect: EffectClass, more: object = {}) => ({ entry: entry({ class: effect, state: 'started', ...more }) });
  const attemptsOf = (effect: EffectClass) => [task(), calling(of(effect))];

  test.each(['read', 'idempotent'] as const)('planCall() runs a %s call again, with the next attempt', (effect) => {
    givenCall(...attemptsOf(effect))
      .when(open(effect))
      .gives(runs(2));
    givenCall(...attemptsOf(effect))
      .when(open(effect, { state: 'unknown' }))
      .gives(runs(2));
    givenCall(...attemptsOf(effect))
      .when(open(effect, { attempts: 3 }))
      .gives(escalates);
  });

  test('planCall() asks the outside system about a reconcile call', () => {
    givenCall(...attemptsOf('reconcile'))
      .when(open('reconcile'))
      .gives({ do: 'find', attempt: 2, seen: 2 });
    givenCall(...attemptsOf('reconcile'))
      .when(open('reconcile', { state: 'unknown' }))
      .gives({ do: 'find', attempt: 2 });
  });

  test('planCall() asks the outside system even when the tries are used up', () =>
    givenCall(...attemptsOf('reconcile'))
      .when(open('reconcile', { attempts: 3 }))
      .gives({ do: 'find', attempt: undefined }));

  test.each(['started', 'unknown'])('planCall() asks a person about a once call that is %s', (state) => {
    givenCall(...attemptsOf('once'))
      .when(open('once', { state }))
      .gives(asksOutcome);
    givenCall(...attemptsOf('once'))
      .when(open('once', { state, attempts: 9 }))
      .gives(asksOutcome);
  });

  test('planCall() says what is known when it asks about an outcome', () => {
    const log = logOf(...attemptsOf('once'));
    const textOf = (error?: string) => planIn(log, { entry: entry(error ? { error } : {}) });
    expect(textOf('pay: socket hang up')).toMatchObject({ question: { text: expect.stringContaining('(pay: socket hang up)') } });
    expect(textOf()).toMatchObject({ question: { text: expect.stringContaining('(it was cut off)') } });
  });

  test('planCall() runs a read again although its attempt may still be at work', () =>
    givenCall(...attemptsOf('read'))
      .when({ ...open('read'), over: false })
      .gives(runs(2)));

  test.each(WRITING)('planCall() waits for a %s attempt that may still be at work, until its deadline', (effect) => {
    const at = (now: number, state = 'started') =>
      givenCall(...attemptsOf(effect)).when({ ...open(effect, { state, deadline: 100 }), over: false, now });
    const goesOn = { do: { once: 'ask', reconcile: 'find', idempotent: 'run' }[effect as 'once'] };
    at(99).gives({ do: 'wait', until: 100 });
    at(100).gives(goesOn);
    at(99, 'unknown').gives(goesOn);
  });

  test('planCall() looks again at an attempt that may still be at work, later the longer it has taken', () => {
    const at = (now: number) =>
      givenCall(...attemptsOf('once')).when({ ...open('once', { startedAt: 10_000, deadline: 70_000 }), over: false, now });
    at(10_000).gives({ do: 'wait', until: 11_000 });
    at(9_000).gives({ do: 'wait', until: 10_000 });
    at(14_000).gives({ do: 'wait', until: 18_000 });
    at(40_000).gives({ do: 'wait', until: 55_000 });
    at(65_000).gives({ do: 'wait', until: 70_000 });
  });
});

describe("a person's word about an outcome", () => {
  const unknown = (effect: EffectClass = 'once') => [task(), calling(of(effect)), asking({ kind: 'outcome-unknown' })];

  test('planCall() settles a call that a person says is done, with the output they vouch for', () => {
    const done = (more?: object) => givenCall(...unknown(), answering('done', more)).when({ entry: entry() });
    const effect = { key: keyAt(2), state: 'done' };
    done({ output: { id: 7 } }).gives(settles({ ok: true, output: { id: 7 }, effect }));
    done({ output: null }).gives(settles({ ok: true, effect }));
    done({ comment: 'Seen in the bank' }).gives(settles({ ok: true, output: 'Seen in the bank', effect }));
    done().gives(settles({ ok: true, output: '(done, no output known)', effect }));
  });

  test('planCall() keeps an output of null that a person vouches for', () => {
    const log = logOf(...unknown(), answering('done', { output: null, comment: 'Seen' }));
    expect(planIn(log, { entry: entry() })).toMatchObject({ result: { output: null } });
  });

  test.each(WRITING)('planCall() runs a %s call once more that a person says was not done', (effect) =>
    givenCall(...unknown(effect), answering('not-done'))
      .when({ entry: entry({ class: effect }) })
      .gives(runs(1)),
  );

  test('planCall() waits for an attempt that may still be at work, whatever a person says', () =>
    givenCall(...unknown(), answering('not-done'))
      .when({ entry: entry({ state: 'started', deadline: 100 }), over: false, now: 99 })
      .gives({ do: 'wait', until: 100 }));

  test('planCall() takes no old "not done" for an attempt made since', () => {
    const log = [...unknown(), answering('not-done')];
    givenCall(...log)
      .when({ entry: entry({ seen: 4 }) })
      .gives(asksOutcome);
    givenCall(...log)
      .when({ entry: entry({ seen: 4, state: 'started' }) })
      .gives(asksOutcome);
  });

  test('planCall() takes each new "not done" for one attempt', () => {
    const log = [...unknown(), answering('not-done'), asking({ kind: 'outcome-unknown' }), answering('not-done')];
    givenCall(...log)
      .when({ entry: entry({ seen: 4 }) })
      .gives(runs(1));
    givenCall(...log)
      .when({ entry: entry({ seen: 6 }) })
      .gives(asksOutcome);
  });

  test('planCall() takes a "done" for the newest attempt', () => {
    const log = [...unknown(), answering('not-done'), asking({ kind: 'outcome-unknown' }), answering('done')];
    givenCall(...log)
      .when({ entry: entry({ seen: 4 }) })
      .gives(settles({ ok: true, effect: { state: 'done' } }));
  });

  test.each(['done', 'result', 'skip', 'deny'] as const)('planCall() lets no old "%s" settle an attempt made since', (decision) =>
    givenCall(...unknown(), answering(decision))
      .when({ entry: entry({ seen: 4 }) })
      .gives(asksOutcome),
  );

  test('planCall() does not take "retry" for "not done": a once call stays asked about', () =>
    givenCall(task(), calling(of('once')), asking({ kind: 'escalation' }), answering('retry'))
      .when({ entry: entry() })
      .gives(asksOutcome));

  test('planCall() runs nothing again that a person said is done, when the step is tried again', () =>
    givenCall(...unknown(), answering('done', { output: 1 }), asking({ kind: 'escalation' }), answering('retry'))
      .when({ entry: entry() })
      .gives(settles({ ok: true, output: 1 })));
});

describe('escalation', () => {
  const failed = (effect: EffectClass) => [task(), calling(of(effect)), asking({ kind: 'escalation' })];
  const spent = (effect: EffectClass, more: object = {}) => ({ entry: entry({ class: effect, attempts: 3, ...more }) });

  test('planCall() opens a new budget when a person says retry', () => {
    givenCall(...failed('idempotent'), answering('retry'))
      .when(spent('idempotent'))
      .gives(runs(1));
    givenCall(...failed('reconcile'), answering('retry'))
      .when(spent('reconcile'))
      .gives({ do: 'find', attempt: 1, seen: 4 });
    givenCall(...failed('read'), answering('retry')).gives(runs(1));
  });

  test('planCall() counts within the new budget, to its end', () => {
    const log = [...failed('idempotent'), answering('retry')];
    givenCall(...log)
      .when(spent('idempotent', { seen: 4, attempts: 1 }))
      .gives(runs(2));
    givenCall(...log)
      .when(spent('idempotent', { seen: 4 }))
      .gives(escalates);
    givenCall(...log, asking({ kind: 'escalation' }), answering('retry'))
      .when(spent('idempotent', { seen: 4 }))
      .gives(runs(1));
  });

  test('planCall() opens a new budget for calls that failed in the turns before', () =>
    givenCall(task(), calling(call()), settling(bad(3)), calling(call()), asking({ kind: 'escalation' }), answering('retry')).gives(
      runs(1),
    ));

  test('planCall() gives a consent no new budget', () =>
    givenCall(task(), calling(guarded('pay', { class: 'idempotent' })), asking({}), answering('approve'))
      .when(spent('idempotent'))
      .gives(escalates));

  test('planCall() takes the result that a person gives', () => {
    givenCall(...failed('read'), answering('result', { output: [1] })).gives(settles({ ok: true, output: [1], attempts: 0 }));
    givenCall(...failed('once'), answering('result', { output: 1 }))
      .when(spent('once'))
      .gives(settles({ ok: true, effect: { key: keyAt(2), state: 'done' } }));
  });

  test("planCall() gives a call without a ledger entry no effect by a person's word", () => {
    const plan = planIn(logOf(...failed('once'), answering('result', { output: 1 })));
    expect(plan).toEqual({ do: 'settle', result: { index: 0, ok: true, output: 1, attempts: 0 } });
  });

  test('planCall() skips a call with a message to the model, and leaves its effect open', () => {
    givenCall(...failed('idempotent'), answering('skip'))
      .when(spent('idempotent'))
      .gives(settles({ ok: false, output: 'Skipped by Ann', effect: { key: keyAt(2), state: 'unknown' } }));
    givenCall(...failed('once'), answering('skip', { comment: 'Never mind' })).gives(settles({ ok: false, output: 'Never mind' }));
  });

  test.each(['done', 'failed'] as const)('planCall() skips a call and says that its effect is %s, if the ledger knows', (state) =>
    givenCall(...failed('idempotent'), answering('skip'))
      .when(spent('idempotent', { state }))
      .gives(settles({ ok: false, effect: { state } })),
  );

  test('planCall() keeps what a person skipped when the step is tried again', () =>
    givenCall(...failed('idempotent'), answering('skip'), asking({ kind: 'escalation' }), answering('retry')).gives(
      settles({ ok: false }),
    ));

  test('planCall() does not take an answer about the model step for one about a call', () =>
    givenCall(task(), askingAboutModel('overloaded'), answering('retry'), calling(of('idempotent')))
      .when(spent('idempotent'))
      .gives(escalates));
});

describe('a repeated call', () => {
  const done = [task(), calling(call()), settling(wrote('done', 2, 0, { output: { id: 1 }, attempts: 2 })), calling(call())];

  test('planCall() runs it again by default: its author lets equal calls have their own effects', () => {
    givenCall(...done).gives(runs(1));
    givenCall(...done)
      .when({ onRepeat: 'ask' })
      .gives(runs(1));
  });

  test('planCall() gives the earlier output again where the author says so', () =>
    givenCall(...done)
      .when({ onRepeat: 'reuse' })
      .gives(settles({ ok: true, output: { id: 1 }, reused: true, effect: { key: keyAt(2), state: 'done' } })));

  test('planCall() gives the output at the place of the new call', () => {
    const log = logOf(...done.slice(0, 3), calling(call('mail'), call()));
    expect(planIn(log, { index: 1, onRepeat: 'reuse' })).toMatchObject({ result: { index: 1, reused: true } });
  });

  test('planCall() reuses nothing of calls that read, failed, or had other arguments', () => {
    const reuse = (...steps: Step[]) => givenCall(...steps).when({ onRepeat: 'reuse' });
    reuse(task(), calling(call()), settling(wrote('failed', 2)), calling(call())).gives(runs(2));
    reuse(task(), calling(call()), settling(wrote('done', 2)), calling(call('pay', { input: { amount: 2 } }))).gives(runs(1));
    reuse(task(), calling(of('read')), settling(ok()), calling(of('read'))).gives(runs(1));
  });

  test('planCall() reuses nothing once the new call has begun', () =>
    givenCall(...done)
      .when({ onRepeat: 'reuse', entry: entry({ key: keyAt(4), call: keyAt(4) }) })
      .gives(asksOutcome));
});

describe('a re-planned call whose earlier effect is open', () => {
  const skipped = (effect: EffectClass) => [task(), calling(of(effect)), settling(wrote('unknown', 2)), calling(of(effect))];
  const earlier = (effect: EffectClass, more: object = {}) => ({ entry: entry({ class: effect, ...more }) });

  test.each(['run', 'reuse', 'ask'] as const)('planCall() goes on with the earlier effect by its class, with onRepeat %s', (onRepeat) => {
    givenCall(...skipped('idempotent'))
      .when({ ...earlier('idempotent'), onRepeat })
      .gives(runs(2));
    givenCall(...skipped('reconcile'))
      .when({ ...earlier('reconcile'), onRepeat })
      .gives({ do: 'find', attempt: 2 });
    givenCall(...skipped('once'))
      .when({ ...earlier('once'), onRepeat })
      .gives(asksOutcome);
  });

  test('planCall() counts the tries at the earlier effect', () =>
    givenCall(...skipped('idempotent'))
      .when(earlier('idempotent', { attempts: 3 }))
      .gives(escalates));

  test('planCall() runs it when a person says that it was not done', () =>
    givenCall(...skipped('once'), asking({ kind: 'outcome-unknown' }), answering('not-done'))
      .when(earlier('once'))
      .gives(runs(1)));

  test('planCall() heeds what people say now, whatever was answered in another run', () => {
    const foreign = (effect: EffectClass) => earlier(effect, { seen: 50, attempts: 3, runId: 'another' });
    const unknown = [...skipped('once'), asking({ kind: 'outcome-unknown' })];
    givenCall(...unknown, answering('done', { output: 1 }))
      .when(foreign('once'))
      .gives(settles({ ok: true, output: 1 }));
    givenCall(...unknown, answering('not-done'))
      .when(foreign('once'))
      .gives(runs(1));
    givenCall(...skipped('idempotent'), asking({ kind: 'escalation' }), answering('retry'))
      .when(foreign('idempotent'))
      .gives(runs(1));
    givenCall(...skipped('idempotent'), asking({ kind: 'escalation' }), answering('skip'))
      .when(foreign('idempotent'))
      .gives(settles({ ok: false, output: 'Skipped by Ann' }));
  });

  test('planCall() takes the output of an effect that is done for another call, and says so', () =>
    givenCall(...skipped('once'))
      .when(earlier('once', { state: 'done', ok: true, output: { id: 1 } }))
      .gives(settles({ ok: true, output: { id: 1 }, reused: true, effect: { key: keyAt(2), state: 'done' } })));

  test.each(WRITING)('planCall() runs a %s call although another call with its key certainly had no effect', (effect) => {
    const failed = earlier(effect, { state: 'failed', output: 'No funds', attempts: 3, seen: 50, runId: 'another', call: 'another/9/0' });
    givenCall(task(), calling(of(effect)))
      .when(failed)
      .gives(runs(1));
    givenCall(task(), calling(of(effect)), settling(bad(3)), calling(of(effect)))
      .when(failed)
      .gives(escalates);
  });

  test('planCall() replays a failure to an equal call of the same reply, and to no other', () => {
    const shared = (more: object) => ({ entry: entry({ key: 'pay/k', call: keyAt(2, 1), state: 'failed', output: 'No funds', ...more }) });
    givenCall(task(), calling(call(), call()))
      .when(shared({}))
      .gives(settles({ ok: false, output: 'No funds' }));
    givenCall(task(), calling(call(), call()))
      .when(shared({ inputHash: 'another' }))
      .gives(runs(1));
    givenCall(task(), calling(call(), call()))
      .when(shared({ call: keyAt(21, 0) }))
      .gives(runs(1));
  });

  test('planCall() lets a no to one call stand when an equal call with its key has begun since', () =>
    givenCall(
      task(),
      calling(guarded(), guarded()),
      asking({}, { index: 1 }),
      answering([
        { index: 0, decision: 'deny' },
        { index: 1, decision: 'approve' },
      ]),
    )
      .when({ entry: entry({ key: 'pay/k', call: keyAt(2, 1), seen: 4 }) })
      .gives(settles({ ok: false, output: 'Not run: Ann denied this call' })));

  test('planCall() takes no "not done" from before a try that an equal call with its key has made since', () => {
    const steps = [task(), calling(call(), call()), asking({ kind: 'outcome-unknown' }), answering('not-done')];
    givenCall(...steps)
      .when({ entry: entry({ key: 'pay/k', call: keyAt(2, 1), seen: 2 }) })
      .gives(runs(1));
    givenCall(...steps)
      .when({ entry: entry({ key: 'pay/k', call: keyAt(2, 1), seen: 4 }) })
      .gives(asksOutcome);
  });

  test.each(['started', 'unknown', 'failed'] as const)(
    'planCall() runs nothing that a person said is done, though the shared entry is %s',
    (state) => {
      const done = wrote('done', 2, 0, { effect: { key: 'pay/k', state: 'done' }, output: 'By hand' });
      givenCall(task(), calling(of('idempotent')), settling(done), calling(of('idempotent')))
        .when({ entry: entry({ class: 'idempotent', key: 'pay/k', state }) })
        .gives(settles({ ok: true, output: 'By hand', reused: true }));
    },
  );
});

describe('a call whose key stands for other arguments', () => {
  const other = (state: EffectRecord['state'], effect: EffectClass) => ({
    entry: entry({
      class: effect,
      key: 'pay/k',
      call: '01ARZ3NDEKTSV4RRFFQ69G5FAA/2/0',
      state,
      inputHash: 'another',
      ok: true,
      output: 'theirs',
    }),
  });

  test.each(WRITING)('planCall() neither runs a %s call nor answers it with their outcome, done or open', (effect) => {
    for (const state of ['started', 'pending', 'unknown', 'done'] as const)
      givenCall(task(), calling(of(effect)))
        .when(other(state, effect))
        .gives(settles({ ok: false, output: expect.stringContaining('stands for a call with other arguments'), attempts: 1 }));
  });

  test('planCall() refuses what is stored under the very call, too', () =>
    givenCall(task(), calling(of('once')))
      .when({ entry: entry({ state: 'done', inputHash: 'another', output: 'theirs' }) })
      .gives(settles({ ok: false })));

  test('planCall() asks about it when the agent keeps at it', () =>
    givenCall(task(), calling(of('once')), settling(bad(3)), calling(of('once')))
      .when(other('done', 'once'))
      .gives(escalates));

  test('planCall() runs it where nothing came of theirs', () =>
    givenCall(task(), calling(of('once')))
      .when(other('failed', 'once'))
      .gives(runs(1)));
});

describe('callFacts()', () => {
  test('callFacts() gathers what the log says about one call', () => {
    const log = logOf(task(), calling(call()), settling(wrote('unknown', 2, 0, { attempts: 2 })), calling(call()));
    const reply = lastReply(log);
    const facts = callFacts(log, reply, reply.calls[0] as Call, { maxAttempts: 4, onRepeat: 'ask' });
    expect(facts).toMatchObject({ answers: [], spentBefore: 2, maxAttempts: 4, onRepeat: 'ask', earlier: { seq: 2, index: 0 } });
  });

  test('callFacts() looks for no earlier effect of a call that reads or cannot run', () => {
    for (const later of [of('read'), call('pay', { invalid: 'Not run' })]) {
      const log = logOf(task(), calling(call()), settling(wrote('unknown', 2)), calling(later));
      const reply = lastReply(log);
      expect(callFacts(log, reply, reply.calls[0] as Call, { maxAttempts: 3, onRepeat: 'run' }).earlier).toBeUndefined();
    }
  });

  test('callFacts() says the same whatever is asked and answered meanwhile', () => {
    const log = logOf(task(), calling(call(), call()), settling(wrote('unknown', 2, 0), wrote('unknown', 2, 1)), calling(call(), call()));
    const reply = lastReply(log);
    const longer = append(append(log, asking({ kind: 'escalation', index: 0 })), answering('skip'));
    for (const each of reply.calls) {
      const [before, after] = [log, longer].map((at) => callFacts(at, reply, each, { maxAttempts: 3, onRepeat: 'run' }).earlier);
      expect(after).toEqual(before);
      expect(before).toMatchObject({ seq: 2, index: each.index });
    }
  });
});

describe('a call whose result comes from outside', () => {
  const callback = { expiresInSeconds: 60 };
  const begun = [task(), calling(call('pay', { callback }))];
  const pending = entry({ state: 'pending' });
  const waited = [...begun, asking({ kind: 'callback', index: 0, key: keyAt(2), choices: ['result', 'skip', 'abort'] })];

  test('planCall() waits for it, by the key of its effect', () =>
    givenCall(...begun)
      .when({ entry: pending })
      .gives({ do: 'ask', question: { kind: 'callback', key: keyAt(2), expiresInSeconds: 60 } }));

  test('planCall() takes what came as the result, and the effect for done', () => {
    const came = (answer: Partial<AnswerTo>) => givenCall(...waited, answering([{ index: 0, decision: 'result', ...answer }]));
    came({ output: 7 })
      .when({ entry: pending })
      .gives({ do: 'settle', result: { ok: true, output: 7, effect: { key: keyAt(2), state: 'done' } } });
    came({ output: 'Sold out', ok: false })
      .when({ entry: pending })
      .gives({ do: 'settle', result: { ok: false, output: 'Sold out', effect: { key: keyAt(2), state: 'done' } } });
  });

  test('planCall() leaves the outcome open when nothing comes in time', () =>
    givenCall(...waited, answering('expired'))
      .when({ entry: pending })
      .gives({ do: 'settle', result: { ok: false, effect: { key: keyAt(2), state: 'unknown' } } }));

  test('planCall() takes what came after all, whatever the clock said, and what a person said before it', () => {
    const came = entry({ state: 'done', ok: true, output: 7 });
    givenCall(...waited, answering('expired'))
      .when({ entry: came })
      .gives({ do: 'settle', result: { ok: true, output: 7, effect: { state: 'done' } } });
    givenCall(...waited, answering('skip', { comment: 'Not needed' }))
      .when({ entry: came })
      .gives({ do: 'settle', result: { ok: false, output: 'Not needed', effect: { state: 'done' } } });
  });

  test('planCall() does not begin again what another call waits for', () =>
    givenCall(task(), calling(call()), settling(wrote('unknown', 2)), calling(call()))
      .when({ entry: pending })
      .gives({ do: 'settle', result: { ok: false, output: expect.stringContaining(keyAt(2)) } }));
});

describe('a question to a person', () => {
  const question = { text: 'Which one?', options: ['a', 'b'], approvers: ['ann@example.test'] };
  const asked = [task(), calling(call('ask_user', { class: 'read', question }))];

  test('planCall() asks it and never runs it', () =>
    givenCall(...asked).gives({ do: 'ask', question: { kind: 'question', choices: ['result', 'skip', 'abort'], ...question } }));

  test('planCall() takes the answer as the result, and says when there is none', () => {
    const steps = [...asked, asking({ kind: 'question', index: 0 })];
    givenCall(...steps, answering([{ index: 0, decision: 'result', output: 'a' }])).gives({
      do: 'settle',
      result: { ok: true, output: 'a' },
    });
    givenCall(...steps, answering('expired')).gives({ do: 'settle', result: { ok: false, output: 'Nobody answered in time' } });
  });
});

describe('consent on terms', () => {
  const terms = { reason: 'It is dear', needs: 2, approvers: ['ann@example.test'], escalateTo: ['bob@example.test'], expiresInSeconds: 9 };
  const two = [task(), calling(guarded('pay', { approval: terms }))];
  const { reason: _, ...passed } = terms;
  const vote = (by: string) => (log: Log) => ({ ...answering('approve')(log), by }) as Draft;

  test('planCall() passes the terms on to the question', () =>
    givenCall(...two).gives({ do: 'ask', question: { kind: 'approval', ...passed } }));

  test('planCall() runs once enough people have consented', () => {
    const asked = [...two, asking({ index: 0, needs: 2 })];
    givenCall(...asked, vote('Ann')).gives({ do: 'ask' });
    givenCall(...asked, vote('Ann'), vote('Bob')).gives(runs(1));
  });

  test('planCall() takes a yes to other arguments for those alone', () => {
    const edit = { input: { amount: 2 }, inputHash: 'pay {"amount":2}' };
    const log = logOf(task(), calling(guarded()), asking({ index: 0 }), answering('approve', { edit }));
    const plan = (each: Call) =>
      planCall(callFacts(log, lastReply(log), each, { maxAttempts: 3, onRepeat: 'run' }), {
        entry: undefined,
        runId: RUN_ID,
        over: true,
        now: 0,
        begunUnmarked: false,
      });
    expect(callsAsRun(log, lastReply(log)).map(plan)).toMatchObject([runs(1)]);
    expect(lastReply(log).calls.map(plan)).toMatchObject([{ do: 'ask' }]);
  });

  test('planCall() lets what expired for one person be asked of the next', () => {
    const passedOn = asking({ index: 0, escalateTo: ['bob@example.test'] });
    givenCall(...two, passedOn, answering('expired'), asking({ index: 0 }), answering('approve')).gives(runs(1));
    givenCall(...two, asking({ index: 0 }), answering('expired')).gives({ do: 'settle', result: { ok: false } });
  });
});

test('fromEntry() calls an effect that is only begun unknown', () => {
  expect(fromEntry({ call: { index: 1, ...call() } }, entry({ state: 'started', error: 'Cut off' }))).toEqual({
    index: 1,
    ok: false,
    output: 'Cut off',
    attempts: 1,
    effect: { key: keyAt(2), state: 'unknown' },
  });
});

test('effectRecord accepts an entry and refuses one of another version or state', () => {
  expect(effectRecord.parse(entry())).toEqual(entry());
  expect(effectRecord.safeParse({ ...entry(), v: 2 }).success).toBe(false);
  expect(effectRecord.safeParse({ ...entry(), state: 'none' }).success).toBe(false);
  expect(effectRecord.safeParse({ ...entry(), attempts: 0 }).success).toBe(false);
});
