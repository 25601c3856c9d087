import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { exactText } from '../../shared/exact-json.ts';
import type { Json } from '../../shared/json.ts';
import type { Task } from '../../shared/record.ts';
import { json } from './generators.ts';

type LogStore = Pick<typeof import('../../lambdas/lib/log-store.ts'), 'appendAt' | 'readRecord'>;

/** Values of one record. */
const TOGETHER = 20;
/** What makes the body of every fifth record too large for its item. */
const LARGE = randomBytes(120_000).toString('base64');

/** Any JSON value, -0 too. */
const value: fc.Arbitrary<Json> = fc.oneof(json, fc.constant(-0), fc.array(fc.oneof(json, fc.constant(-0)), { maxLength: 5 }));

/**
 * Keeps so many generated values in records, in items and in the blob store by turns, and reads them back: each must be the
 * same, to the last character of its JSON.
 */
export async function roundTrips(store: LogStore, count: number, seed: number): Promise<void> {
  const lists = fc.sample(fc.array(value, { minLength: TOGETHER, maxLength: TOGETHER }), { seed, numRuns: Math.ceil(count / TOGETHER) });
  for (const [i, values] of lists.entries()) {
    const runId = `01ARZ3NDEKTSV4RRFF${String(i).padStart(8, '0')}`;
    const input = i % 5 === 0 ? [...values, LARGE] : values;
    await store.appendAt(runId, 1, { type: 'task', agent: 'a', input });
    const record = (await store.readRecord(runId, 1)) as Task;
    assert.equal(exactText(record.input), exactText(input), `values ${i * TOGETHER} to ${(i + 1) * TOGETHER}, seed ${seed}`);
    assert.deepEqual(record.input, input);
  }
}
