import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exactText, longNumberIn } from '../../shared/exact-json.ts';
import type { Json } from '../../shared/json.ts';

const seed = process.env.SEED ? Number(process.env.SEED) : Math.floor(Math.random() * 2 ** 31);
console.log(`Numbers with SEED=${seed}`);

describe('longNumberIn()', () => {
  it.each([
    ['{"account_id":7230914468201735681}', 'account_id', '7230914468201735681'],
    ['[1,{"a":[0,12345678901234567890]}]', '1.a.1', '12345678901234567890'],
    ['9007199254740993', '', '9007199254740993'],
    ['{"n":1e999}', 'n', '1e999'],
    ['{"n":-1e-400}', 'n', '-1e-400'],
    ['{"n":3.14159265358979323846}', 'n', '3.14159265358979323846'],
    ['{"n":1234567890123456.7890}', 'n', '1234567890123456.7890'],
  ])('finds the number that would lose digits in %s', (text, path, digits) => {
    expect(longNumberIn(text)).toEqual({ path, digits });
  });

  it.each([
    '9007199254740992',
    '-9007199254740991',
    '1.10',
    '100000000000000000000',
    '1e21',
    '1E-7',
    '0.1',
    '-0.0e5',
    '0.30000000000000004',
    '5e-324',
    '1.7976931348623157e308',
    '"7230914468201735681"',
    '{"7230914468201735681":1}',
    'true',
  ])('finds nothing in %s', (text) => {
    expect(longNumberIn(text)).toBeUndefined();
  });

  it('finds nothing in what JSON.stringify wrote, whatever its numbers', () => {
    const numbers = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(numbers, (n) => {
        expect(longNumberIn(JSON.stringify([n]))).toBeUndefined();
      }),
      { seed, numRuns: 2000 },
    );
  });

  it('finds every whole number whose digits change, and no other', () => {
    const digitsOf = (n: number) => /^-?([\d.]+)/.exec(n.toExponential())?.[1]?.replace('.', '');
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), (n) => {
        const same = digitsOf(Number(n)) === (String(n).replace(/^-|0+$/g, '') || '0');
        expect(longNumberIn(`{"n":${n}}`) === undefined).toBe(same);
      }),
      { seed, numRuns: 2000 },
    );
  });
});

describe('exactText()', () => {
  it('gives back -0 as -0, at every place', () => {
    const value: Json = { a: [-0, 0, { b: -0 }], c: '-0' };
    const back = JSON.parse(exactText(value));
    expect(Object.is(back.a[0], -0) && Object.is(back.a[1], 0) && Object.is(back.a[2].b, -0)).toBe(true);
    expect(back.c).toBe('-0');
  });
});
