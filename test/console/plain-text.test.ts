import { describe, expect, test } from 'vitest';
import { excerpt, oneLine, unlinked, visible } from '../../console/plain-text.ts';
import { HOSTILE } from './hostile-texts.ts';

describe('visible()', () => {
  test.each([
    ['keeps line breaks and tabs', 'a\n\tb\r\nc', 'a\n\tb\nc'],
    ['writes out a lone carriage return', 'a\rb', 'a⟨U+000D⟩b'],
    ['writes out marks of direction', '\u202Eabc\u2066', '⟨U+202E⟩abc⟨U+2066⟩'],
    ['writes out invisible fillers and tags', '\u3164\u{E0041}\uFEFF', '⟨U+3164⟩⟨U+E0041⟩⟨U+FEFF⟩'],
    ['writes out line separators', '\u2028', '⟨U+2028⟩'],
    ['writes out half of a pair', '\uD800', '⟨U+D800⟩'],
    ['keeps emoji whole', '👩🏽‍🚀 ❤️ 👨‍👩‍👧', '👩🏽‍🚀 ❤️ 👨‍👩‍👧'],
    ['writes out joiners elsewhere', 'a\u200Db\uFE0F', 'a⟨U+200D⟩b⟨U+FE0F⟩'],
    ['keeps other scripts', 'שלום 你好 नमस्ते မြွှေ့ Tiếng', 'שלום 你好 नमस्ते မြွှေ့ Tiếng'],
    ['writes out marks that pile up', `Z${'\u0301'.repeat(7)}`, `Z${'\u0301'.repeat(5)}⟨U+0301⟩⟨U+0301⟩`],
  ])('%s', (_, text, shown) => {
    expect(visible(text)).toBe(shown);
  });
});

describe('excerpt()', () => {
  const room = { characters: 20, lines: 3 };

  test('returns a short text whole', () => {
    expect(excerpt('a\nb\nc', room)).toEqual({ text: 'a\nb\nc' });
  });

  test('cuts by characters and by lines, and says so', () => {
    expect(excerpt('x'.repeat(30), room)).toEqual({ text: 'x'.repeat(20), cut: { shown: 20, of: 30 } });
    expect(excerpt('a\nb\nc\nd', room)).toEqual({ text: 'a\nb\nc', cut: { shown: 5, of: 7 } });
  });

  test('cuts neither a pair nor a written-out number in half', () => {
    expect(excerpt(`${'x'.repeat(19)}😀`, room).text).toBe('x'.repeat(19));
    expect(excerpt(`${'x'.repeat(15)}\u202Eyyyy`, room).text).toBe('x'.repeat(15));
  });

  test.each(Object.entries(HOSTILE))('never exceeds its room: %s', (_, text) => {
    const { text: kept } = excerpt(text, room);
    expect(kept.length).toBeLessThanOrEqual(20);
    expect(kept.split('\n').length).toBeLessThanOrEqual(3);
  });
});

describe('oneLine()', () => {
  test.each(Object.entries(HOSTILE))('returns one short line: %s', (_, text) => {
    const line = oneLine(text, 50);
    expect(line.length).toBeLessThanOrEqual(50);
    expect(line).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u);
  });

  test('says when it is cut', () => {
    expect(oneLine('one two three', 9)).toBe('one two…');
  });
});

test('unlinked() breaks up every address and leaves numbers and sentences alone', () => {
  expect(unlinked('https://evil.test/a.b?c www.evil.test x@evil.test')).toBe('https[:]//evil[.]test/a.b?c www[.]evil[.]test x@evil[.]test');
  expect(unlinked('12.50 EUR. Then go. пример.рф')).toBe('12.50 EUR. Then go. пример[.]рф');
});
