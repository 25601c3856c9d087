import { describe, expect, test } from 'vitest';
import type { ServedPin } from '../../shared/pin.ts';
import { changedTools, isSamePin, pinNow, servedModels, strangeModel } from '../../shared/pin-now.ts';
import type { AnswerTo } from '../../shared/record.ts';
import { answering, asking, call, calling, logOf, replying, saying, settling, task } from '../support/log-builder.ts';

const FIRST: ServedPin = { model: 'openai/a', machine: 'm:1', hash: 'h1' };
const SECOND: ServedPin = { model: 'openai/a', machine: 'm:2', hash: 'h2' };
const served = (servedModel: string) => replying({ text: 'Hi', servedModel });
const repin = (pin: ServedPin, more: Partial<AnswerTo> = {}) => [
  asking({ kind: 'restart', choices: ['repin', 'abort'] }),
  answering([{ index: 0, decision: 'repin', pin, ...more }]),
];

describe('pinNow()', () => {
  test('is what the run was started with, until a repin', () => {
    expect(pinNow(FIRST, logOf(task(), saying('Hi')))).toEqual(FIRST);
    expect(pinNow(FIRST, logOf(task(), calling(call()), ...repin(SECOND)))).toEqual(SECOND);
  });

  test('has the model that the first reply said was served', () =>
    expect(pinNow(FIRST, logOf(task(), served('a-1'), served('a-1')))).toEqual({ ...FIRST, served: ['a-1'] }));

  test('takes no answer for a repin that pins nothing', () =>
    expect(pinNow(FIRST, logOf(task(), calling(call()), asking({ kind: 'restart' }), answering('abort')))).toEqual(FIRST));
});

describe('strangeModel()', () => {
  test('names a model that is served in place of the pinned one, at the reply that tells so', () => {
    const log = logOf(task(), served('a-1'), served('a-2'));
    expect(strangeModel(log)).toBe('a-2');
    expect(servedModels(log)).toEqual(['a-1']);
    expect(strangeModel(logOf(task(), served('a-1'), served('a-2'), saying('Hi')))).toBeUndefined();
  });

  test('knows none where no provider says what it serves, or where it is the same', () => {
    expect(strangeModel(logOf(task(), saying('Hi')))).toBeUndefined();
    expect(strangeModel(logOf(task(), served('a-1'), served('a-1')))).toBeUndefined();
  });

  test('takes both for pinned once somebody has agreed, so that one that goes back and forth is asked about once', () => {
    const calls = replying({ calls: [{ index: 0, ...call() }], servedModel: 'a-2' });
    const agreed = repin({ ...FIRST, served: ['a-1', 'a-2'] });
    const log = logOf(task(), served('a-1'), calls, ...agreed, settling({ ok: true }), served('a-1'));
    expect(strangeModel(log)).toBeUndefined();
    expect(servedModels(log)).toEqual(['a-1', 'a-2']);
  });
});

describe('a repin to other code', () => {
  test('takes no other model for the pinned one, as long as it is asked of the same', () => {
    const to = (model: string) => repin({ ...SECOND, model });
    const begun = [task(), replying({ calls: [{ index: 0, ...call() }], servedModel: 'a-1', model: 'openai/a' })];
    expect(servedModels(logOf(...begun, ...to('openai/a')))).toEqual(['a-1']);
    expect(servedModels(logOf(...begun, ...to('openai/b')))).toEqual([]);
  });

  test('answers nothing about a model that was strange before it', () => {
    const calls = replying({ calls: [{ index: 0, ...call() }], servedModel: 'a-2', model: 'openai/a' });
    expect(strangeModel(logOf(task(), served('a-1'), calls, ...repin(SECOND)))).toBe('a-2');
  });
});

describe('changedTools()', () => {
  test('names what a repin changed, until the next reply', () => {
    const steps = [task(), calling(call()), ...repin(SECOND, { changedTools: ['pay'] })];
    expect([...changedTools(logOf(...steps))]).toEqual(['pay']);
    expect([...changedTools(logOf(...steps, settling({ ok: false }), saying('Hi')))]).toEqual([]);
  });
});

test('isSamePin() looks at code and model, and not at what was served', () => {
  const told: ServedPin = { ...FIRST, served: ['a-1'] };
  expect(isSamePin(FIRST, told)).toBe(true);
  expect(isSamePin(FIRST, SECOND)).toBe(false);
});
