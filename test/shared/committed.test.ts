import { describe, expect, test } from 'vitest';
import { committedEffects } from '../../shared/committed.ts';
import { bad, call, calling, keyAt, logOf, ok, saying, settling, task, wrote } from '../support/log-builder.ts';

describe('committedEffects()', () => {
  test('committedEffects() lists what was done, with arguments and result, and nothing that only reads', () => {
    const log = logOf(
      task(),
      calling(call('look', { class: 'read' }), call('pay'), call('mail', { input: { to: 'Ann' } })),
      settling(ok(), wrote('done', 2, 1, { output: 'paid' }), wrote('done', 2, 2, { edited: { by: 'Bob', input: { to: 'Eve' } } })),
      saying('Done'),
    );
    expect(committedEffects(log)).toEqual([
      { seq: 2, index: 1, tool: 'pay', input: { amount: 1 }, output: 'paid', ok: true, key: keyAt(2, 1), state: 'done' },
      { seq: 2, index: 2, tool: 'mail', input: { to: 'Eve' }, output: 'done', ok: true, key: keyAt(2, 2), state: 'done' },
    ]);
  });

  test('committedEffects() holds an effect once, as the newest result says', () => {
    const log = logOf(
      task(),
      calling(call('pay')),
      settling(wrote('unknown', 2)),
      calling(call('pay')),
      settling(wrote('done', 2, 0, { output: 'paid' })),
      calling(call('pay')),
      settling(wrote('done', 2, 0, { reused: true, output: 'paid' })),
    );
    expect(committedEffects(log)).toMatchObject([{ seq: 2, index: 0, state: 'done', output: 'paid' }]);
    expect(committedEffects(log, 3)).toMatchObject([{ seq: 2, state: 'unknown' }]);
    expect(committedEffects(log, 2)).toEqual([]);
  });

  test('committedEffects() leaves out what failed, even after it was open', () => {
    const log = logOf(task(), calling(call('pay'), call('mail')), settling(wrote('unknown', 2), bad()), calling(call('pay')));
    expect(committedEffects(log)).toHaveLength(1);
    expect(committedEffects([...log, ...logOf(settlingAt(4)).map((record) => ({ ...record, seq: 5 }))])).toEqual([]);
  });
});

const settlingAt = (reply: number) => ({
  type: 'results' as const,
  reply,
  results: [{ index: 0, ok: false, output: 'refused', attempts: 1, effect: { key: keyAt(2), state: 'failed' as const } }],
});
