import { describe, expect, test } from 'vitest';
import { fitResults, MAX_RESULTS_BYTES } from '../../shared/fit-results.ts';
import type { Result } from '../../shared/record.ts';
import { keyAt } from '../support/log-builder.ts';

const result = (index: number, bytes: number, more: Partial<Result> = {}): Result => ({
  index,
  ok: true,
  output: 'x'.repeat(bytes - 2),
  attempts: 1,
  ...more,
});
const bytesOf = (results: readonly Result[]) => results.reduce((sum, { output }) => sum + Buffer.byteLength(JSON.stringify(output)), 0);
const kept = (results: readonly Result[]) => fitResults(results).map((fitted, i) => fitted === results[i]);

describe('fitResults()', () => {
  test('fitResults() leaves results alone that fit, to the byte', () => {
    expect(fitResults([])).toEqual([]);
    expect(kept([result(0, MAX_RESULTS_BYTES - 1000), result(1, 1000)])).toEqual([true, true]);
  });

  test('fitResults() leaves out the largest, and no more than it must', () => {
    expect(kept([result(0, 1000), result(1, MAX_RESULTS_BYTES), result(2, 2000)])).toEqual([true, false, true]);
    expect(kept([result(0, 150_000), result(1, 150_001), result(2, 140_000)])).toEqual([true, false, true]);
    expect(kept([result(0, 200_000), result(1, 200_001), result(2, 200_002)])).toEqual([true, false, false]);
  });

  test('fitResults() keeps one result for each call, in order, and the whole within its limit', () => {
    const many = Array.from({ length: 40 }, (_, index) => result(index, 20_000 + index));
    expect(fitResults(many).map(({ index }) => index)).toEqual(many.map(({ index }) => index));
    expect(bytesOf(fitResults(many))).toBeLessThanOrEqual(MAX_RESULTS_BYTES);
  });

  test('fitResults() measures bytes, not letters', () => {
    const wide = result(0, 2, { output: '\u20ac'.repeat(MAX_RESULTS_BYTES / 3) });
    expect(kept([wide, result(1, 1000)])).toEqual([false, true]);
  });

  test('fitResults() says what is left out and keeps what is known of the effect', () => {
    const effect = { key: keyAt(2), state: 'done' } as const;
    const [done, failed] = fitResults([result(0, MAX_RESULTS_BYTES, { effect, attempts: 2 }), result(1, MAX_RESULTS_BYTES, { ok: false })]);
    expect(done).toMatchObject({ index: 0, ok: false, attempts: 2, effect });
    expect(done?.output).toMatch(/^The call is done, but its output is left out: .* its effect is done: do not call it again$/);
    expect(failed?.output).toMatch(/^The call failed, and what it said is left out: .* call it again by itself$/);
  });
});
