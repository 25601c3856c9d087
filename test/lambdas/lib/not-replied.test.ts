import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Step } from '../../../lambdas/lib/step.ts';
import type { ModelOutcome } from '../../../shared/model.ts';
import { policy } from '../../../shared/policy.ts';
import { task } from '../../support/log-builder.ts';
import { aMeta } from '../../support/meta.ts';
import { openTables } from '../../support/tables.ts';

let tables: Awaited<ReturnType<typeof openTables>>;
const load = async () => ({
  ...(await import('../../../lambdas/lib/not-replied.ts')),
  ...(await import('../../../lambdas/lib/log-store.ts')),
  ...(await import('../../../lambdas/lib/meta-store.ts')),
});
let lib: Awaited<ReturnType<typeof load>>;
beforeAll(async () => {
  tables = await openTables();
  lib = await load();
});
afterAll(() => tables?.close());
afterEach(() => void vi.restoreAllMocks());

let runs = 0;

/** What a model step makes of an overload at this try. */
async function overloaded(attempts: number, waitSeconds?: number, limits: Parameters<typeof policy.parse>[0] = {}) {
  const runId = `01JZNR${String(runs++).padStart(20, '0')}`;
  const meta = aMeta({ runId, attempts, policy: policy.parse(limits) });
  await lib.createMeta(meta);
  await lib.appendAt(runId, 1, task());
  const outcome: ModelOutcome = { kind: 'overloaded', reason: 'busy', ...(waitSeconds === undefined ? {} : { waitSeconds }) };
  const step = { log: await lib.readLog(runId), meta } as Step;
  const now = Date.now();
  const log = await lib.notReplied(step, outcome);
  const { waitUntil, reason } = await lib.mustRead(runId);
  return { log, reason, seconds: Math.round((waitUntil - now) / 1000) };
}

describe('notReplied()', () => {
  it.each([
    ['what the provider says', 3600, 3600],
    ['a limit on what it says', 90_000, 6 * 3600],
    ['a second where it says none', 0, 1],
  ])('waits for %s, outside the step, and says why', async (_, said, seconds) => {
    expect(await overloaded(1, said)).toMatchObject({ seconds, reason: 'overloaded: busy', log: [{ type: 'task' }] });
  });

  it('waits longer each time where nothing is said, up to five minutes', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.999_999);
    const waits: number[] = [];
    for (let attempts = 1; attempts <= 10; attempts++)
      waits.push((await overloaded(attempts, undefined, { maxModelAttempts: 20 })).seconds);
    expect(waits).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
  });

  it('never waits for nothing', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    for (const attempts of [1, 4, 7]) expect((await overloaded(attempts)).seconds).toBe(1);
  });

  it('asks a person after the last try, whatever wait was named', async () => {
    const { log, seconds } = await overloaded(8, 60);
    expect(log.at(-1)).toMatchObject({
      type: 'ask',
      reason: 'overloaded',
      questions: [{ text: expect.stringMatching(/^8 tries failed; the last: busy/) }],
    });
    expect(seconds).toBeLessThan(1);
  });
});
