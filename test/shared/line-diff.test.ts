import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { lineDiff } from '../../shared/line-diff.ts';

const seed = process.env.SEED ? Number(process.env.SEED) : Math.floor(Math.random() * 2 ** 31);
beforeAll(() => console.log(`Line diffs with SEED=${seed}`));

test('lineDiff() shows what is gone and what is new, and leaves out what stayed', () => {
  expect(lineDiff('a\nb\nc', 'a\nx\nc\nd')).toEqual(['- b', '+ x', '+ d']);
  expect(lineDiff('same\ntext', 'same\ntext')).toEqual([]);
});

test('lineDiff() of texts too long to compare line by line tells both', () => {
  const [before, after] = ['a', 'b'].map((letter) => Array.from({ length: 1_100 }, (_, i) => `${letter}${i}`).join('\n')) as [
    string,
    string,
  ];
  expect(lineDiff(before, after)).toHaveLength(2_200);
});

test('lineDiff() says enough to make the one text from the other', () => {
  const text = fc.array(fc.constantFrom('a', 'b', '', 'c'), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = lineDiff(before.join('\n'), after.join('\n'));
      const gone = lines.filter((line) => line.startsWith('- ')).map((line) => line.slice(2));
      const come = lines.filter((line) => line.startsWith('+ ')).map((line) => line.slice(2));
      expect([...before, ...come].sort()).toEqual([...after, ...gone].sort());
      expect(lines.length === 0).toBe(before.join('\n') === after.join('\n'));
    }),
    { seed, numRuns: 500 },
  );
});
