import { describe, expect, test } from 'vitest';
import { asText, view } from '../../shared/view.ts';
import {
  answering,
  asking,
  askingAboutModel,
  bad,
  call,
  calling,
  ending,
  guarded,
  logOf,
  ok,
  replying,
  type Step,
  saying,
  settling,
  task,
  user,
} from '../support/log-builder.ts';

/** The view in short: role and text, or the seq of the reply. */
const seen = (...steps: Step[]) =>
  view(logOf(...steps)).map((message) => [message.role, message.role === 'user' ? message.text : message.reply.seq]);

describe('view()', () => {
  test('view() starts with the task, as text', () => {
    expect(seen(task('Pay Ann'))).toEqual([['user', 'Pay Ann']]);
    expect(seen(task({ pay: 'Ann' }))).toEqual([['user', '{\n "pay": "Ann"\n}']]);
  });

  test('view() shows each reply with calls just before its results', () => {
    const log = logOf(task(), calling(call(), call('mail')), settling(ok(), bad()), saying('Done'));
    expect(view(log)).toEqual([
      { role: 'user', text: 'Do it' },
      { role: 'assistant', reply: log[1] },
      { role: 'tool', reply: log[1], results: (log[2] as { results: unknown }).results },
      { role: 'assistant', reply: log[3] },
    ]);
  });

  test('view() leaves out a reply whose results are not there yet', () => {
    expect(seen(task(), calling(call()))).toEqual([['user', 'Do it']]);
    expect(seen(task(), calling(guarded()), asking({}), answering('approve'))).toEqual([['user', 'Do it']]);
  });

  test('view() shows no asks, answers and ends', () => {
    const steps = [task(), calling(guarded()), asking({}), answering('approve'), settling(ok()), askingAboutModel(), answering('retry')];
    expect(seen(...steps, saying('Done'), ending(), user('Thanks'))).toEqual([
      ['user', 'Do it'],
      ['assistant', 2],
      ['tool', 2],
      ['assistant', 8],
      ['user', 'Thanks'],
    ]);
  });

  test('view() shows each message by itself, and none that is blank', () =>
    expect(seen(task(), user('One', ' \n', 'Two'))).toEqual([
      ['user', 'Do it'],
      ['user', 'One'],
      ['user', 'Two'],
    ]));

  test('view() leaves out replies that say nothing, and keeps calls without text', () => {
    expect(seen(task(), saying(''), saying(' \t'), saying('Hm'))).toEqual([
      ['user', 'Do it'],
      ['assistant', 4],
    ]);
    expect(seen(task(), saying('', 'refused'))).toEqual([['user', 'Do it']]);
    expect(seen(task(), calling(call()), settling(ok()))).toContainEqual(['assistant', 2]);
  });

  test('view() shows a reply that was cut off in its text', () => {
    expect(seen(task(), saying('Hal', 'cut'))).toContainEqual(['assistant', 2]);
    expect(seen(task(), replying({ finish: 'cut', text: 'Hal', calls: [{ index: 0, ...call() }] }), settling(bad()))).toContainEqual([
      'tool',
      2,
    ]);
  });
});

test('asText() shows strings as they are and all else as JSON', () => {
  expect(asText('a "b"\n')).toBe('a "b"\n');
  expect(asText(null)).toBe('null');
  expect(asText([1, 'a'])).toBe('[\n 1,\n "a"\n]');
});
