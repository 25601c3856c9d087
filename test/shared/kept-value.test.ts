import { describe, expect, it } from 'vitest';
import { keptValue, lostWords } from '../../shared/kept-value.ts';

const lostOf = (value: unknown) => keptValue(value).lost.map(({ path, what }) => [path, what]);

describe('keptValue()', () => {
  it.each([
    ['texts, numbers, lists and objects', { a: [1, 'x', null, true], b: { c: -1.5 } }],
    ['half a character', ['\ud800', 'a\udc00']],
    ['keys of every prototype', JSON.parse('{"__proto__":{"x":1},"constructor":2}')],
  ])('keeps %s as they are', (_, value) => {
    const kept = keptValue(value);
    expect(JSON.stringify(kept)).toBe(JSON.stringify({ value, lost: [], turned: [] }));
    expect(kept.value).not.toBe(value);
  });

  it('keeps -0', () => {
    expect(Object.is((keptValue([-0]).value as number[])[0], -0)).toBe(true);
  });

  it('leaves out properties without a value', () => {
    expect(keptValue({ a: undefined, b: 1 })).toEqual({ value: { b: 1 }, lost: [], turned: [] });
  });

  it('writes dates, and what says itself what it is in JSON, in that form, and says where', () => {
    const kept = keptValue({ at: new Date(0), where: new URL('https://example.test/a') });
    expect(kept).toEqual({
      value: { at: '1970-01-01T00:00:00.000Z', where: 'https://example.test/a' },
      lost: [],
      turned: [
        { path: 'at', what: 'Date' },
        { path: 'where', what: 'URL' },
      ],
    });
  });

  it.each<[string, unknown, string]>([
    ['NaN', Number.NaN, 'NaN'],
    ['infinity', -1 / 0, '-Infinity'],
    ['a bigint', 12345678901234567890n, 'the bigint 12345678901234567890'],
    ['a function', () => 1, 'a function'],
    ['a symbol', Symbol('x'), 'a symbol'],
    ['a map', new Map([['a', 1]]), 'a Map of 1'],
    ['a set', new Set([1, 2]), 'a Set of 2'],
    ['a buffer', Buffer.from('hi'), 'a Buffer of 2 bytes; return file(...) to keep bytes'],
    ['bytes', new Uint8Array(3), 'a Uint8Array of 3 bytes; return file(...) to keep bytes'],
    ['an invalid date', new Date(Number.NaN), 'a Date that is none'],
    ['an error', new Error('out'), 'the error "out"'],
    ['a promise', Promise.resolve(1), 'a Promise'],
  ])('says where %s stood, and keeps the rest', (_, value, what) => {
    expect(keptValue({ rows: [{ kept: 1, odd: value }] })).toEqual({
      value: { rows: [{ kept: 1, odd: null }] },
      lost: [{ path: 'rows.0.odd', what }],
      turned: [],
    });
    expect(lostOf(value)).toEqual([['', what]]);
  });

  it('ends at a circle, at a getter that throws, and at its depth', () => {
    const self: Record<string, unknown> = { name: 'me' };
    self.again = [self];
    expect(lostOf(self)).toEqual([['again.0', 'a circle back to what it is in']]);
    const broken = {
      fine: 1,
      get total() {
        throw new Error('no total');
      },
    };
    expect(keptValue(broken)).toMatchObject({ value: { fine: 1, total: null }, lost: [{ path: 'total', what: 'it throws: no total' }] });
    expect(lostOf(JSON.parse(`${'['.repeat(10_000)}1${']'.repeat(10_000)}`))[0]?.[1]).toBe('more than 500 levels');
    expect(lostOf(JSON.parse(`${'['.repeat(500)}1${']'.repeat(500)}`))).toEqual([]);
  });

  it('takes a value twice that stands at two places', () => {
    const shared = { a: 1 };
    expect(keptValue([shared, shared])).toEqual({ value: [{ a: 1 }, { a: 1 }], lost: [], turned: [] });
  });

  it('lets what is handed to it stand for a part', () => {
    expect(keptValue({ a: new Map() }, (value) => (value instanceof Map ? 'a map' : undefined)).value).toEqual({ a: 'a map' });
  });
});

describe('lostWords()', () => {
  it('names some places, and counts the others', () => {
    const lost = keptValue(Array.from({ length: 12 }, () => Number.NaN)).lost;
    expect(lostWords(lost)).toMatch(/^0: NaN; 1: NaN; .*9: NaN; and 2 more$/);
  });
});
