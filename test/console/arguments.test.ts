import { expect, test } from 'vitest';
import { argumentsOf, changesOf, exactJson } from '../../console/arguments.ts';
import type { Json } from '../../shared/json.ts';

test('argumentsOf() puts short values before long ones', () => {
  const input = { reason: 'x\ny', note: 'z'.repeat(41), amount: 2_000_000, to: 'kim', deep: { a: [1] } };
  expect(argumentsOf(input).map(({ key }) => key)).toEqual(['amount', 'to', 'reason', 'note', 'deep']);
});

test('argumentsOf() takes any JSON', () => {
  expect(argumentsOf(null)).toEqual([]);
  expect(argumentsOf({})).toEqual([]);
  expect(argumentsOf('text')).toEqual([{ key: '(all)', value: 'text' }]);
  expect(argumentsOf({ a: null, b: false, c: '' })).toEqual([
    { key: 'a', value: 'null' },
    { key: 'b', value: 'false' },
    { key: 'c', value: '' },
  ]);
});

test('exactJson() means the same value and holds nothing unseen', () => {
  const value = { 'k\u202E': ['\u0000', '\uD800', '\u{E0041}', '\u200B', 1e21, null] };
  expect(JSON.parse(exactJson(value))).toEqual(value);
  expect(exactJson(value)).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Cs}]/u);
});

test('exactJson() of a deep and wide value does not grow by indentation', () => {
  let deep: Json = Array.from({ length: 10_000 }, (_, i) => i);
  for (let i = 0; i < 400; i++) deep = [deep];
  expect(exactJson(deep).length).toBeLessThan(60_000);
});

test('changesOf() lists what differs, and what is there on one side only', () => {
  const before = { same: [1, { a: 2 }], text: 'old', number: 42, out: 'gone', deep: { a: 1, b: 2 } };
  const after = { text: 'new', number: '42', same: [1, { a: 2 }], deep: { b: 2, a: 3 }, in: true };
  expect(changesOf(before, after)).toEqual([
    { key: 'text', was: 'old', is: 'new' },
    { key: 'number', was: '42', is: '"42"' },
    { key: 'out', was: 'gone', is: undefined },
    { key: 'deep', was: exactJson({ a: 1, b: 2 }), is: exactJson({ b: 2, a: 3 }) },
    { key: 'in', was: undefined, is: 'true' },
  ]);
  expect(changesOf(JSON.parse('{"__proto__": 1}'), { toString: 1 }).map(({ key }) => key)).toEqual(['__proto__', 'toString']);
});
