import { describe, expect, test } from 'vitest';
import { canonical, json, MAX_DEPTH, shallowJson } from '../../shared/json.ts';
import { nested } from '../support/generators.ts';

const accepts = (value: unknown) => json.safeParse(value).success;

describe('json', () => {
  test.each([null, true, 0, -1.5, '', '\ud800', [], {}, [[{ a: [null] }]], Object.assign(Object.create(null), { a: 1 })])(
    'json accepts %o and hands it on untouched',
    (value) => expect(json.parse(value)).toBe(value),
  );

  test.each([undefined, Number.NaN, Number.POSITIVE_INFINITY, 1n, () => 1, Symbol('a'), new Date(0), new Map(), Buffer.from('a')])(
    'json refuses %o, which JSON would change or lose, at any depth',
    (value) => expect([value, [value], { a: [{ b: value }] }].map(accepts)).toEqual([false, false, false]),
  );

  test('json refuses a list with holes or fields', () => {
    expect(accepts(new Array(2))).toBe(false);
    expect(accepts(Object.assign([1], { more: 2 }))).toBe(false);
  });

  test('json keeps every key, __proto__ too', () => {
    const value = JSON.parse('{"__proto__":{"a":1},"constructor":2}');
    expect(JSON.stringify(json.parse(value))).toBe('{"__proto__":{"a":1},"constructor":2}');
  });

  test('json accepts any depth', () => expect(accepts(nested(100_000))).toBe(true));

  test('json says what it wants', () => {
    expect(json.safeParse(undefined).error?.issues[0]?.message).toBe('it must be a JSON value');
  });
});

test('shallowJson accepts what a request may hold, and no more levels', () => {
  expect(shallowJson.safeParse(nested(MAX_DEPTH)).success).toBe(true);
  expect(shallowJson.safeParse(undefined).success).toBe(false);
  // A list without items is a level too, as it is where an output is kept.
  const lists = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
  expect([MAX_DEPTH, MAX_DEPTH + 1].map((levels) => shallowJson.safeParse(lists(levels)).success)).toEqual([true, false]);
  const tooDeep = shallowJson.safeParse(nested(MAX_DEPTH + 1));
  expect(tooDeep.error?.issues[0]?.message).toBe(`it must be a JSON value of at most ${MAX_DEPTH} levels`);
});

describe('canonical()', () => {
  test('canonical() sorts the keys of every object and leaves lists as they are', () => {
    expect(canonical({ b: 1, a: [2, { d: null, c: 'x' }, 1] })).toBe('{"a":[2,{"c":"x","d":null},1],"b":1}');
  });

  test('canonical() tells apart what is not equal', () => {
    const values = [null, 'null', 0, '0', false, [], {}, [[]], [{}], '', { a: 1 }, { a: '1' }, ['a', 1]];
    expect(new Set(values.map((value) => canonical(value as never))).size).toBe(values.length);
  });

  test('canonical() writes numbers and texts as JSON does', () => {
    expect(canonical([1e21, -0, 0.1, '\u2028"\\\ud800'])).toBe(JSON.stringify([1e21, -0, 0.1, '\u2028"\\\ud800']));
  });
});
