import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Json } from '../../shared/json.ts';
import { holdsMask, leavesOf, MASK, placesOf, restored, taken, textsOf, without } from '../../shared/secrets.ts';
import { defineTool } from '../../shared/tool.ts';

const account = { provider: 'x', account: { token: 'sk-test-0000', name: 'main' }, keys: [{ key: 'a1b2' }, { key: 'c3d4' }] };

describe('placesOf()', () => {
  it('names the places of marks, with * for every element, and none for what is not there', () => {
    expect(placesOf(['account.token', 'keys.*.key', 'other.one'], account)).toEqual(['/account/token', '/keys/0/key', '/keys/1/key']);
    expect(placesOf([''], account)).toEqual(['']);
    expect(placesOf(['account.token'], 'text')).toEqual([]);
  });

  it('escapes keys as JSON pointers do', () => {
    expect(placesOf(['*'], { 'a/b': 1, 'c~d': 2 })).toEqual(['/a~1b', '/c~0d']);
  });
});

describe('taken() and restored()', () => {
  it('leave masks in the place of secrets, and nothing else changes', () => {
    const { masked, secrets } = taken(account, placesOf(['account.token', 'keys.*.key'], account));
    expect(masked).toEqual({ provider: 'x', account: { token: MASK, name: 'main' }, keys: [{ key: MASK }, { key: MASK }] });
    expect(JSON.stringify(masked)).not.toMatch(/sk-test|a1b2|c3d4/);
    expect(restored(masked, secrets)).toEqual(account);
  });

  it('are each the reverse of the other, whatever the value', () => {
    const value = fc.jsonValue({ maxDepth: 4 }).filter((each) => !JSON.stringify(each).includes(MASK));
    fc.assert(
      fc.property(value, (given) => {
        const all = JSON.parse(JSON.stringify(given)) as Json;
        const { masked, secrets } = taken(all, leavesOf(all));
        expect(restored(masked, secrets)).toEqual(all);
      }),
    );
  });

  it('put back only where a mask stands: what a person wrote there stays', () => {
    const { secrets } = taken(account, ['/account/token']);
    expect(restored({ account: { token: 'new' } }, secrets)).toEqual({ account: { token: 'new' } });
  });
});

describe('without()', () => {
  it('masks a secret in texts, numbers and keys, in JSON within a text, and in an address', () => {
    const secret = 'a "b" c/d';
    const texts = textsOf([{ token: secret }, 1234]);
    const said = {
      [secret]: `It is ${secret}.`,
      json: JSON.stringify({ secret }),
      url: `?t=${encodeURIComponent(secret)}`,
      pin: 1234,
      n: 5,
    };
    expect(without(said, texts)).toEqual({ [MASK]: `It is ${MASK}.`, json: `{"secret":"${MASK}"}`, url: `?t=${MASK}`, pin: MASK, n: 5 });
  });

  it('masks a secret in JSON within JSON, and in base64 and hex of what holds it', () => {
    const secret = 'sk-"quoted"\\é9';
    const texts = textsOf([secret]);
    const nested = JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ secret }) }) });
    expect(without(nested, texts)).toBe(JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ secret: MASK }) }) }));
    for (const before of ['', 'u', 'us', 'user:']) {
      for (const encoding of ['base64', 'base64url', 'hex'] as const) {
        const said = Buffer.from(`${before}${secret} and more`).toString(encoding);
        expect(without(said, texts)).toContain(MASK);
        const rest = (without(said, texts) as string).replaceAll(MASK, '');
        expect(rest.length).toBeLessThan(said.length - Buffer.from(secret).toString(encoding).length + 6);
      }
    }
    expect(without(Buffer.from(secret).toString('hex').toUpperCase(), texts)).toBe(MASK);
  });

  it('leaves texts alone that are too short to be looked for', () => {
    expect(without('a boat', textsOf(['a', 'at', true, null]))).toBe('a boat');
  });

  it('masks the longer of two secrets where one is part of the other', () => {
    expect(without('abcdef abc', textsOf(['abc', 'abcdef']))).toBe(`${MASK} ${MASK}`);
  });
});

describe('holdsMask()', () => {
  it('tells that a secret is a mask that was shown', () => {
    expect(holdsMask({ key: `Bearer ${MASK}` }, ['/key'])).toBe(true);
    expect(holdsMask({ key: 'sk', note: MASK }, ['/key'])).toBe(false);
  });
});

describe('the secrets of a tool', () => {
  const tool = (marks: { secrets?: unknown; secretOutput?: unknown }) =>
    defineTool({
      name: 'set_key',
      description: 'Sets a key',
      effect: 'once',
      input: z.object({
        key: z.string(),
        account: z.object({ token: z.string() }).optional(),
        list: z.array(z.object({ pin: z.string() })),
        either: z.union([z.object({ code: z.string() }), z.string()]),
        map: z.record(z.string(), z.string()),
      }),
      execute: () => 'set',
      ...(marks as object),
    });

  it.each([['key'], ['account.token'], ['list.*.pin'], ['either.code'], ['map.*'], ['account']])('may be at %s of its input', (path) => {
    expect(() => tool({ secrets: [path] })).not.toThrow();
  });

  it.each(['kye', 'account.tokens', 'list.pin', 'key.more', '', 'account..token'])(
    'are refused at "%s", which is no place of it',
    (path) => {
      expect(() => tool({ secrets: [path] })).toThrow(/^Cannot use tool "set_key": secrets /);
    },
  );

  it('of the output are true, or paths', () => {
    expect(() => tool({ secretOutput: true })).not.toThrow();
    expect(() => tool({ secretOutput: ['token', 'list.*'] })).not.toThrow();
    for (const wrong of [false, 'token', [], ['']]) expect(() => tool({ secretOutput: wrong })).toThrow(/secretOutput must be true/);
  });
});
