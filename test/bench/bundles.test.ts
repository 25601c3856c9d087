import { describe, expect, it } from 'vitest';
import { bundlesTable, measureBundles, tooLarge } from '../../bench/bundles.ts';
import { FUNCTIONS } from '../../shared/functions.ts';

describe('what bundles cost', () => {
  it('model-step at most 3 MB, each other function at most 1 MB', async () => {
    const costs = await measureBundles(1);
    expect(costs.map(({ name }) => name)).toEqual(Object.keys(FUNCTIONS));
    expect(tooLarge(costs)).toEqual([]);
    expect(costs.filter(({ importMs }) => !(importMs > 0))).toEqual([]);
  });
});

describe('tooLarge()', () => {
  it('names every bundle above its limit', () => {
    const costs = [
      { name: 'ask', bytes: 1_000_000 },
      { name: 'sweep', bytes: 1_000_001 },
      { name: 'model-step', bytes: 2_000_000 },
    ] as const;
    expect(tooLarge(costs)).toEqual(['sweep: bytes of its bundle: 1000001, and the limit is 1000000']);
  });

  it('takes what could not be measured for too large', () => {
    expect(tooLarge([{ name: 'ask', bytes: Number.NaN }])).toHaveLength(1);
  });
});

describe('bundlesTable()', () => {
  it('has a line for each function', () => {
    const table = bundlesTable([{ name: 'ask', bytes: 895_073, importMs: 101.4 }]);
    expect(table.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['function', 'bundle', 'limit', 'import'],
      ['ask', '895,073 B', '1,000,000 B', '101 ms'],
    ]);
  });
});
