import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { callArguments } from '../../../../lambdas/lib/model/call-arguments.ts';

describe('callArguments() takes', () => {
  it.each([[''], ['   '], ['\n'], ['null'], [' null '], ['{}'], ['""'], ['" "'], [undefined], [null]])('%j for no arguments', (text) => {
    expect(callArguments(text)).toEqual({ input: {} });
  });

  it('an object as it is', () => {
    expect(callArguments('{"order_id":"A1","n":{"x":[1]}}')).toEqual({ input: { order_id: 'A1', n: { x: [1] } } });
  });

  const invalid = [
    '{order_id: A1}',
    '{"order_id":"A1"',
    '[1,2]',
    '"A1"',
    '42',
    'true',
    '{"order_id":"A1"}{"order_id":"B2"}',
    "{'a':1}",
    '{"a":1,}',
  ];
  it.each(invalid)('%s for text that is no object', (text) => {
    expect(callArguments(text)).toEqual({ rawInput: text });
  });

  it('any object of JSON unchanged', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (input) => {
        const read = callArguments(JSON.stringify(input));
        expect(read).toEqual({ input: JSON.parse(JSON.stringify(input)) });
      }),
    );
  });

  it('any text without a throw, and never makes an object of what is none', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const read = callArguments(text);
        if ('rawInput' in read) expect(read.rawInput).toBe(text);
      }),
    );
  });
});
