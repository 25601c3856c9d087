import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clipText, MIN_CLIPPED } from '../../shared/clip.ts';
import { text } from '../support/generators.ts';

const lines = Array.from({ length: 50_000 }, (_, i) => `line ${i}`).join('\n');
const reads = (from: number) => `read_result reads on with {"id":"c2_0","from":${from}}`;

describe('clipText()', () => {
  test('clipText() leaves a text that fits as it is', () => {
    expect(clipText('a'.repeat(1000), 1000)).toBe('a'.repeat(1000));
  });

  test('clipText() shows beginning and end of a longer one, with its true size and how to read the rest', () => {
    const clipped = clipText(lines, 2_000, reads);
    expect(clipped.length).toBeLessThanOrEqual(2_000);
    expect(clipped.startsWith('line 0\nline 1\n')).toBe(true);
    expect(clipped.endsWith('line 49998\nline 49999')).toBe(true);
    const [, left, of, from] = /\[… (\d+) of (\d+) characters left out; read_result reads on with .*"from":(\d+)\} …\]/.exec(clipped) ?? [];
    expect(Number(of)).toBe(lines.length);
    const [head, tail] = clipped.split(/\n\[….*…\]\n/) as [string, string];
    expect([head.length, lines.length - head.length - tail.length]).toEqual([Number(from), Number(left)]);
    expect(lines.startsWith(head) && lines.endsWith(tail)).toBe(true);
  });

  test('clipText() leaves out how to read on where the note would take most of the room', () => {
    expect(clipText(lines, 120, reads)).toMatch(/^line 0\n[\s\S]*\[… \d+ of 538889 characters left out …\][\s\S]*49999$/);
  });

  test('clipText() stays within its limit, and is the same for the same text', () => {
    const long = text.chain((unit) => fc.nat(300).map((times) => `${unit}x`.repeat(times)));
    fc.assert(
      fc.property(long, fc.nat(600), (whole, max) => {
        const clipped = clipText(whole, max, reads);
        expect(clipped.length).toBeLessThanOrEqual(Math.max(max, MIN_CLIPPED));
        expect(clipText(whole, max, reads)).toBe(clipped);
        if (whole.length > Math.max(max, MIN_CLIPPED)) expect(clipped.isWellFormed()).toBe(true);
      }),
    );
  });
});
