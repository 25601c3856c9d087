import { describe, expect, test } from 'vitest';
import { fileText, fileTextOf, keptCharacters, MOST_FILE_TEXT, textIn } from '../../shared/file-text.ts';
import { PIXEL } from '../support/pictures.ts';

const bytesOf = (text: string) => Buffer.from(text);

describe('textIn()', () => {
  test.each([
    ['text/csv', 'a,b\n1,ä\n'],
    ['application/json', '{"a":"😀"}'],
    ['application/ld+json', '{}'],
    ['image/svg+xml', '<svg/>'],
    ['application/x-yaml', 'a: 1'],
    ['text/plain', 'with \u001b[1mcolour\u001b[0m'],
    ['application/octet-stream', 'of no type\r\n\tthat is known\f'],
    ['application/x-terraform', 'resource {}'],
  ])('textIn() reads %s', (mediaType, text) => {
    expect(textIn(bytesOf(text), mediaType)).toBe(text);
  });

  test.each([
    ['bytes that are no UTF-8', Buffer.from([0x61, 0xe4, 0x62]), 'text/csv'],
    ['UTF-16', Buffer.from('a,b', 'utf16le'), 'text/csv'],
    ['half of a surrogate pair', Buffer.from([0xed, 0xa0, 0xbd]), 'text/plain'],
    ['control characters of no known type', bytesOf('a\u0001'), 'application/octet-stream'],
    ['a picture', PIXEL, 'image/png'],
    ['a document', bytesOf('%PDF-1.7'), 'application/pdf'],
  ])('textIn() reads no text in %s', (_, bytes, mediaType) => {
    expect(textIn(bytes, mediaType)).toBeUndefined();
  });

  test('textIn() leaves out a mark of byte order', () => {
    expect(textIn(bytesOf('\ufeffa,b'), 'text/csv')).toBe('a,b');
  });
});

describe('fileTextOf()', () => {
  const lines = Array.from({ length: 10_000 }, (_, i) => `line ${i}`).join('\n');

  test('fileTextOf() keeps a short text whole', () => {
    expect(fileTextOf(bytesOf('a,b'), 'text/csv')).toEqual({ characters: 3, head: 'a,b' });
    const most = 'x'.repeat(MOST_FILE_TEXT);
    expect(fileTextOf(bytesOf(most), 'text/plain')).toEqual({ characters: MOST_FILE_TEXT, head: most });
    expect(fileTextOf(bytesOf(`${most}y`), 'text/plain')).toMatchObject({ characters: MOST_FILE_TEXT + 1 });
  });

  test.each([undefined, 5_000, 200])('fileTextOf() keeps the beginning and the end of a longer one, within %s characters', (room) => {
    const kept = fileText.parse(fileTextOf(bytesOf(lines), 'text/plain', room));
    expect(keptCharacters(kept)).toBe(Math.min(room ?? MOST_FILE_TEXT, MOST_FILE_TEXT));
    expect(kept.characters).toBe(lines.length);
    expect(lines.startsWith(kept.head) && lines.endsWith(kept.tail ?? '')).toBe(true);
  });

  test('fileTextOf() keeps nothing where there is no room, and nothing of what is no text', () => {
    expect(fileTextOf(bytesOf(lines), 'text/plain', 199)).toBeUndefined();
    expect(fileTextOf(bytesOf('short'), 'text/plain', 5)).toEqual({ characters: 5, head: 'short' });
    expect(fileTextOf(PIXEL, 'image/png')).toBeUndefined();
  });
});
