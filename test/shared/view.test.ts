import { describe, expect, test } from 'vitest';
import { fileJson, refOf } from '../../shared/file.ts';
import type { Result } from '../../shared/record.ts';
import { asText, type Shown, view } from '../../shared/view.ts';
import { viewLimits } from '../../shared/view-limits.ts';
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

describe('the text of files', () => {
  const limits = viewLimits({ compaction: { atTokens: 8_000 } }, 'scripted/x');
  const lines = Array.from({ length: 10_000 }, (_, i) => `line ${i}`).join('\n');
  const file = (text: string, name: string) => refOf({ bytes: Buffer.from(text), mediaType: 'text/plain', name }, 'a'.repeat(64));
  const told = (files: string[], text: string, more: Shown = {}) => {
    const messages = [{ id: '1', text, files: files.map((each, i) => file(each, `${i}.txt`)), at: 0 }];
    const message = view(logOf(task(), { type: 'user', messages }), { limits, ...more })[1];
    return message?.role === 'user' ? message.text : '';
  };

  test('view() shows it after the message, each file in a frame with its id', () => {
    expect(told(['one', 'two'], 'See.')).toBe(
      'See.\n[file m2_0_f1: 0.txt, text/plain, 3 bytes]\n[file m2_0_f2: 1.txt, text/plain, 3 bytes]\n\n<file id="m2_0_f1">\none\n</file>\n\n<file id="m2_0_f2">\ntwo\n</file>',
    );
  });

  test('view() cuts long ones to what one record may be shown with, and leaves the message and short ones whole', () => {
    const text = told([lines, 'short', lines], 'Which of these?', { canRead: true });
    expect(text).toContain('Which of these?\n');
    expect(text).toContain('<file id="m2_0_f2">\nshort\n</file>');
    for (const id of ['m2_0_f1', 'm2_0_f3']) {
      expect(text).toContain(`<file id="${id}">\nline 0\n`);
      expect(text).toContain(`of ${lines.length} characters left out; read_result reads on with {"id":"${id}","from":`);
    }
    expect(text.split('line 9999\n</file>')).toHaveLength(3);
    expect(text.length).toBeLessThan(limits.messageCharacters + 200);
  });

  test('view() shows that of a result within what its tool says', () => {
    const output = { made: fileJson(file(lines, 'a.txt')) };
    const shown = (maxCharacters: number) =>
      view(logOf(task(), calling(call('look')), settling(ok({ output }))), {
        limits,
        outputs: () => ({ maxCharacters }),
      })[2] as unknown as {
        results: Result[];
      };
    const { output: text } = shown(1_000).results[0] as { output: string };
    expect(text).toContain('{"made":"[file c2_0_f1: a.txt, text/plain,');
    expect(text).toContain('<file id="c2_0_f1">\nline 0\n');
    expect(text).toContain('line 9999\n</file>');
    expect(text.length).toBeLessThan(1_200);
    expect(shown(1_500).results[0]?.output).toHaveLength(text.length + 500);
  });

  test('view() shows none of a call that failed', () => {
    const output = { kept: fileJson(file('one', 'a.txt')) };
    expect(view(logOf(task(), calling(call('look')), settling(ok({ ok: false, output }))), { limits })[2]).toMatchObject({
      results: [{ output }],
    });
  });
});
