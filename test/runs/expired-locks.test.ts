import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, DynamoDBDocumentClient, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { Context } from 'aws-lambda';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { DUMMY_CREDENTIALS, REGION, TABLES } from '../../infra/local/names.ts';
import { workerEnvironment } from '../../infra/local/worker-environment.ts';
import { segmentInput } from '../../shared/machine.ts';
import { IDEMPOTENCY_TABLE } from '../../shared/tables.ts';
import { askIn } from '../support/api-client.ts';
import { type Machine, startMachine } from '../support/machine.ts';

vi.mock('../../lambdas/lib/agents.ts', async () => ({ allAgents: (await import('./mail-agents.ts')).agents }));

const TEN_DAYS = 10 * 24 * 3600 * 1000;

/** Puts the clock of a process ahead, ms. */
const ahead = (ms: number) => `const D = Date; globalThis.Date = class extends D {
  constructor(...at) { at.length > 0 ? super(...at) : super(D.now() + ${ms}); }
  static now() { return D.now() + ${ms}; }
};`;

let machine: Machine;
beforeAll(async () => {
  machine = await startMachine(new URL('./mail-agents.ts', import.meta.url));
});
afterAll(() => machine?.stop());
afterEach(() => void vi.useRealTimers());

let passed = 0;
/** The machine is off for ten days, and comes back: so it is later by as much for all functions. */
async function tenDaysLater(): Promise<void> {
  passed += TEN_DAYS;
  await machine.restart({ environment: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(ahead(passed))}` } });
  await machine.host.recovered;
}

/** Resolves when the next effect has taken place, whose answer takes long enough to be killed before it. */
function nextEffect(): Promise<void> {
  const begun = Promise.withResolvers<void>();
  machine.world.onApply = () => {
    delete machine.world.onApply;
    begun.resolve();
    return new Promise((resolve) => setTimeout(resolve, 1_000));
  };
  return begun.promise;
}

const times = (name: string) => machine.world.applied.filter((effect) => effect.name === name).length;

/** What Powertools keeps of the calls is over: it is still there, or the table has removed it. */
async function expire(kept: boolean): Promise<number> {
  const client = DynamoDBDocumentClient.from(
    new DynamoDBClient({ endpoint: machine.host.endpoints.store, region: REGION, credentials: DUMMY_CREDENTIALS }),
  );
  const { Items = [] } = await client.send(new ScanCommand({ TableName: TABLES.idempotency }));
  for (const item of Items) {
    const place = { TableName: TABLES.idempotency };
    const past = { ...item, [IDEMPOTENCY_TABLE.ttl]: 1, in_progress_expiration: 1 };
    if (kept) await client.send(new PutCommand({ ...place, Item: past }));
    else await client.send(new DeleteCommand({ ...place, Key: { [IDEMPOTENCY_TABLE.partitionKey]: item.id } }));
  }
  client.destroy();
  return Items.length;
}

/** Has the step of a turn invoked once more by a late try, ten days after: in a process that has seen nothing of the run. */
async function stepAgain(runId: string, cursor: number): Promise<void> {
  Object.assign(process.env, workerEnvironment('tool-step', machine.host.endpoints, { WORLD_URL: machine.world.url }));
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + passed + TEN_DAYS });
  vi.resetModules();
  const { handler } = await import('../../lambdas/tool-step.ts');
  const context = { awsRequestId: `late-${cursor}`, getRemainingTimeInMillis: () => 60_000 } as Context;
  const { segment } = await machine.api.show(runId);
  await (handler as (event: unknown, context: Context) => Promise<unknown>)({ ...segmentInput(runId, segment), cursor }, context);
  vi.useRealTimers();
}

describe.each([
  ['still there', true],
  ['gone', false],
])('while a run waits ten days its idempotency records expire and are %s:', (_, kept) => {
  it('no mail goes out a second time when steps are killed and tried again afterwards', async () => {
    machine.world.applied.length = 0;
    const runId = await machine.api.start('clerk', 'go');
    const { seenAt } = await machine.api.until(runId, 'waiting');
    expect([times('send_email'), await expire(kept)]).toEqual([1, expect.any(Number)]);
    await tenDaysLater();

    await stepAgain(runId, 2);
    const begun = nextEffect();
    await machine.api.answer(await machine.api.until(runId, 'waiting'), { decision: 'approve', by: 'Ada' });
    await begun;
    machine.host.kill('tool-step');
    await vi.waitFor(async () => expect(askIn(await machine.api.records(runId)).kind).toBe('outcome-unknown'), { timeout: 20_000 });
    expect(await expire(kept)).toBeGreaterThan(0);
    await stepAgain(runId, 4);
    await machine.api.answer(await machine.api.until(runId, 'waiting'), { decision: 'done', output: 'paid', by: 'Ada' });
    expect((await machine.api.until(runId, 'completed')).seenAt).toBeGreaterThan(seenAt + TEN_DAYS);

    await expire(kept);
    for (const cursor of [2, 4]) await stepAgain(runId, cursor);
    expect([times('send_email'), times('issue_refund')]).toEqual([1, 1]);
    expect((await machine.api.records(runId)).filter(({ type }) => type === 'results')).toHaveLength(2);
  }, 60_000);

  it('a mail that was cut off with the machine is asked about when that is back, and not sent again', async () => {
    machine.world.applied.length = 0;
    const begun = nextEffect();
    const runId = await machine.api.start('clerk', 'go');
    await begun;
    machine.host.kill('tool-step');
    expect(await expire(kept)).toBeGreaterThan(0);
    await tenDaysLater();
    await vi.waitFor(async () => expect((await machine.api.show(runId)).ask?.kind).toBe('outcome-unknown'), { timeout: 20_000 });
    await machine.api.answer(await machine.api.until(runId, 'waiting'), { decision: 'done', output: 'sent', by: 'Ada' });
    await vi.waitFor(async () => expect((await machine.api.show(runId)).ask?.kind).toBe('approval'), { timeout: 20_000 });
    expect(times('send_email')).toBe(1);
  }, 60_000);
});
