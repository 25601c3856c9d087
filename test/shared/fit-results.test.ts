import { describe, expect, test } from 'vitest';
import { fitResults, MAX_OUTPUT_BYTES, MAX_RESULTS_BYTES, noRoom, roomBeside, roomFor } from '../../shared/fit-results.ts';
import type { Result } from '../../shared/record.ts';

const resultOf = (index: number, bytes: number, more: Partial<Result> = {}): Result => ({
  index,
  ok: true,
  output: 'x'.repeat(bytes - 2),
  attempts: 1,
  ...more,
});
const bytesOf = (results: Result[]) => results.reduce((sum, { output }) => sum + JSON.stringify(output).length, 0);
const kept = (results: Result[]) => results.filter(({ ok }) => ok).map(({ index }) => index);

describe('fitResults()', () => {
  test('leaves results alone that fit together', () => {
    const results = [resultOf(0, MAX_RESULTS_BYTES - 10), resultOf(1, 10)];
    expect(fitResults(results)).toEqual(results);
  });

  test('leaves out the largest, and no more than it must, in call order', () => {
    const sizes = [1_000, 25_000_000, 10_000_000, 24_000_000];
    const fitted = fitResults(sizes.map((bytes, index) => resultOf(index, bytes)));
    expect(kept(fitted)).toEqual([0, 2, 3]);
    expect(fitted.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
    expect(fitted[1]).toMatchObject({
      ok: false,
      attempts: 1,
      output: expect.stringMatching(/has 25000000 bytes.*call it again by itself$/),
    });
  });

  test('counts arguments that a person changed, and leaves them out with their output: the answer in the log has them', () => {
    const edited = { by: 'Ann', input: 'y'.repeat(26_000_000) };
    const [first, second] = fitResults([resultOf(0, 1_000, { edited }), resultOf(1, 25_000_000)]);
    expect(first).toMatchObject({ ok: false });
    expect(first).not.toHaveProperty('edited');
    expect(second).toMatchObject({ ok: true });
  });

  test('leaves out the first of equals', () => {
    expect(kept(fitResults([resultOf(0, 26_000_000), resultOf(1, 26_000_000)]))).toEqual([1]);
  });

  test('keeps what is known of an effect, and says that it must not be called again', () => {
    const effect = { key: 'r/2/0', state: 'done' } as const;
    const [first] = fitResults([resultOf(0, 45_000_000, { effect }), resultOf(1, 10_000_000)]);
    expect(first).toMatchObject({ ok: false, effect, output: expect.stringContaining('its effect is done: do not call it again') });
  });

  test('leaves out what failed at length as well', () => {
    const failed = fitResults(Array.from({ length: 20 }, (_, i) => resultOf(i, 4_000_000, { ok: false })));
    expect(bytesOf(failed)).toBeLessThanOrEqual(MAX_RESULTS_BYTES);
    expect(failed[0]?.output).toContain('The call failed, and what it said is left out');
  });

  test('counts bytes, not characters', () => {
    expect(fitResults([resultOf(0, 10, { output: 'ü'.repeat(26_000_000) })])[0]?.ok).toBe(false);
  });

  test('leaves out what the log has no room for', () => {
    const [first, second] = fitResults([resultOf(0, 2_000), resultOf(1, 500)], 1_000);
    expect(first).toMatchObject({ ok: false, output: expect.stringMatching(/room for 1000 more; ask for less of it$/) });
    expect(second).toMatchObject({ ok: true });
  });
});

describe('noRoom()', () => {
  const full = roomFor(1_000_000_000);

  test('lets a call begin that has room for the largest output', () => {
    expect(noRoom(roomBeside(full, [resultOf(0, MAX_RESULTS_BYTES - MAX_OUTPUT_BYTES)]))).toBeUndefined();
    expect(noRoom(roomFor(MAX_OUTPUT_BYTES))).toBeUndefined();
  });

  test('says how much the record has left beside the calls before it', () => {
    const words = noRoom(roomBeside(full, [resultOf(0, MAX_RESULTS_BYTES - MAX_OUTPUT_BYTES), resultOf(1, 2)]));
    expect(words).toMatch(/^the outputs of the calls before it leave room for 24999998 bytes more in their record.*by itself$/);
    expect(noRoom(roomBeside(full, [resultOf(0, 2 * MAX_RESULTS_BYTES)]))).toContain('room for 0 bytes');
  });

  test('says how much the log has left', () => {
    expect(noRoom(roomFor(MAX_OUTPUT_BYTES - 1))).toMatch(
      /^the records of this run have room for 24999999 bytes more.*must be started over$/,
    );
  });
});
