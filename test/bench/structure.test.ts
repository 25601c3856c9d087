import { describe, expect, it } from 'vitest';
import { excesses, measureStructure, type Structure } from '../../bench/structure.ts';

const TURNS = 30;

describe('what a turn costs', () => {
  it('without effects: 6 store operations, 3 transitions, 12 events, and no byte more at the end of a run than at its start', async () => {
    const cost = await measureStructure(TURNS, 'read_text');
    expect(cost).toMatchObject({ operations: 6, byName: { Query: 2, UpdateItem: 2, PutItem: 2 }, transitions: 3, events: 12 });
    expect(excesses(cost, 'read_text')).toEqual([]);
  });

  it('with an effect: 10 store operations', async () => {
    const cost = await measureStructure(TURNS, 'write_text');
    expect(cost).toMatchObject({ operations: 10, byName: { Query: 2, UpdateItem: 3, PutItem: 5 }, transitions: 3, events: 12 });
    expect(excesses(cost, 'write_text')).toEqual([]);
  });
});

describe('excesses()', () => {
  const flat = { first: 1, last: 1, ratio: 1 };
  const cost: Structure = { operations: 6, byName: {}, bytes: flat, multiple: flat, transitions: 3, events: 12, stateBytes: 200 };

  it('names every limit that a turn exceeds', () => {
    const grown = { first: 1, last: 1.6, ratio: 1.6 };
    const found = excesses({ ...cost, operations: 7, bytes: grown, multiple: grown, stateBytes: 2000 }, 'read_text');
    expect(found.map((each) => each.split(': ')[1])).toEqual([
      'store operations a turn',
      'growth of bytes a turn',
      'bytes a turn as a multiple of the payload',
      'bytes of state',
    ]);
  });

  it('takes what could not be measured for too much', () => {
    expect(excesses({ ...cost, events: Number.NaN }, 'read_text')).toHaveLength(1);
  });
});
