import { describe, expect, test } from 'vitest';
import { MOST_READ, readResult } from '../../shared/read-result.ts';

const text = Array.from({ length: 10_000 }, (_, i) => `line ${i}`).join('\n');
const tool = readResult();
const read = (input: { id: string; from?: number; length?: number }, whole: string | undefined = text) =>
  tool.execute(tool.input.parse(input), { textOf: (id: string) => (id === 'c2_0' ? whole : undefined) } as never) as string;

describe('readResult()', () => {
  test('readResult() reads a part, and says which', () => {
    expect(read({ id: 'c2_0', from: 7, length: 6 })).toBe(`(characters 7 to 13 of ${text.length})\nline 1`);
    expect(read({ id: 'c2_0', from: text.length - 4 })).toBe(`(characters ${text.length - 4} to ${text.length} of ${text.length})\n9999`);
  });

  test('readResult() reads no more at once than it is itself shown with', () => {
    expect(read({ id: 'c2_0' })).toHaveLength(MOST_READ + `(characters 0 to ${MOST_READ} of ${text.length})\n`.length);
    expect(tool.modelOutput?.maxCharacters).toBeGreaterThan(MOST_READ + 60);
    expect(tool.input.safeParse({ id: 'c2_0', length: MOST_READ + 1 }).success).toBe(false);
  });

  test('readResult() gives the whole in parts that fit together', () => {
    const parts = Array.from({ length: Math.ceil(text.length / MOST_READ) }, (_, i) => read({ id: 'c2_0', from: i * MOST_READ }));
    expect(parts.map((part) => part.slice(part.indexOf('\n') + 1)).join('')).toBe(text);
  });

  test('readResult() says what it cannot read', () => {
    expect(() => read({ id: 'c9_9' })).toThrow('Cannot read "c9_9": no result or message of this run has that id');
    expect(() => read({ id: 'c2_0', from: text.length })).toThrow(`it has ${text.length} characters`);
    expect(read({ id: 'c2_0' }, '')).toBe('(characters 0 to 0 of 0)\n');
  });
});
