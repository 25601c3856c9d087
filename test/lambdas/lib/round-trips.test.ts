import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { roundTrips } from '../../support/round-trips.ts';
import { openTables } from '../../support/tables.ts';

/** Replay with the seed that was printed, or with more values: SEED=7 VALUES=10000 npx vitest run test/lambdas/lib/round-trips.test.ts */
const seed = process.env.SEED ? Number(process.env.SEED) : Math.floor(Math.random() * 2 ** 31);
const values = Number(process.env.VALUES ?? 10_000);

let tables: Awaited<ReturnType<typeof openTables>>;
beforeAll(async () => {
  tables = await openTables();
});
afterAll(() => tables?.close());

it(`${values} generated values come back from the store and the blob store as they were`, async () => {
  console.log(`Values with SEED=${seed}`);
  // Each record that is written says so.
  vi.spyOn(console, 'log').mockImplementation(() => {});
  await expect(roundTrips(await import('../../../lambdas/lib/log-store.ts'), values, seed)).resolves.toBeUndefined();
});
