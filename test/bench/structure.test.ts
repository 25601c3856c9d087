import { describe, expect, it } from 'vitest';
import { excesses, measureStructure } from '../../bench/structure.ts';

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
