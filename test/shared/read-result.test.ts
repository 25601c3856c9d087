import { describe, expect, test } from 'vitest';
import { MOST_READ, readResult } from '../../shared/read-result.ts';
import type { FileBytes } from '../../shared/tool.ts';

const text = Array.from({ length: 10_000 }, (_, i) => `line ${i}`).join('\n');
const tool = readResult();
const read = async (input: { id: string; from?: number; length?: number }, whole: string | undefined = text, file?: FileBytes) =>
  tool.execute(tool.input.parse(input), {
    textOf: (id: string) => (id === 'c2_0' ? whole : undefined),
    readFile: async () => file,
  } as never) as Promise<string>;

describe('readResult()', () => {
  test('readResult() reads a part, and says which', async () => {
    expect(await read({ id: 'c2_0', from: 7, length: 6 })).toBe(`(characters 7 to 13 of ${text.length})\nline 1`);
    expect(await read({ id: 'c2_0', from: text.length - 4 })).toBe(
      `(characters ${text.length - 4} to ${text.length} of ${text.length})\n9999`,
    );
  });

  test('readResult() reads no more at once than it is itself shown with', async () => {
    expect(await read({ id: 'c2_0' })).toHaveLength(MOST_READ + `(characters 0 to ${MOST_READ} of ${text.length})\n`.length);
    expect(tool.modelOutput?.maxCharacters).toBeGreaterThan(MOST_READ + 60);
    expect(tool.input.safeParse({ id: 'c2_0', length: MOST_READ + 1 }).success).toBe(false);
  });

  test('readResult() gives the whole in parts that fit together', async () => {
    const parts = await Promise.all(
      Array.from({ length: Math.ceil(text.length / MOST_READ) }, (_, i) => read({ id: 'c2_0', from: i * MOST_READ })),
    );
    expect(parts.map((part) => part.slice(part.indexOf('\n') + 1)).join('')).toBe(text);
  });

  test('readResult() says what it cannot read', async () => {
    await expect(read({ id: 'c9_9' })).rejects.toThrow('Cannot read "c9_9": no result or message of this run has that id');
    await expect(read({ id: 'c2_0', from: text.length })).rejects.toThrow(`it has ${text.length} characters`);
    expect(await read({ id: 'c2_0' }, '')).toBe('(characters 0 to 0 of 0)\n');
  });

  test('readResult() reads the text of a file, and says of another that it has none', async () => {
    const csv = { bytes: Buffer.from('\ufeffä,b\n1,2\n'), mediaType: 'text/csv' };
    expect(await read({ id: 'm1_0_f1', from: 2, length: 3 }, undefined, csv)).toBe('(characters 2 to 5 of 8)\nb\n1');
    await expect(read({ id: 'm1_0_f1' }, undefined, { ...csv, bytes: Buffer.from([0xff]) })).rejects.toThrow(
      'Cannot read "m1_0_f1": its 1 bytes of type text/csv are no text',
    );
  });
});
