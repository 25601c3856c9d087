import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pack } from '../../../lambdas/lib/body.ts';
import type { EffectRecord } from '../../../shared/effect.ts';
import type { Draft, Reply } from '../../../shared/record.ts';
import { aMeta } from '../../support/meta.ts';
import { openTables } from '../../support/tables.ts';

let tables: Awaited<ReturnType<typeof openTables>>;
let lib: Awaited<ReturnType<typeof load>>;
const load = async () => ({
  ...(await import('../../../lambdas/lib/log-store.ts')),
  ...(await import('../../../lambdas/lib/ledger.ts')),
  ...(await import('../../../lambdas/lib/meta-store.ts')),
  ...(await import('../../../lambdas/lib/notice-store.ts')),
  ...(await import('../../../lambdas/lib/callback-store.ts')),
  ...(await import('../../../lambdas/lib/waits.ts')),
  ...(await import('../../../lambdas/lib/inbox.ts')),
  ...(await import('../../../lambdas/lib/erase.ts')),
  ...(await import('../../../lambdas/lib/purge.ts')),
  ...(await import('../../../lambdas/lib/guards.ts')),
  ...(await import('../../../lambdas/lib/dynamo.ts')),
});
beforeAll(async () => {
  tables = await openTables();
  lib = await load();
});
afterAll(() => tables?.close());

let runs = 0;
const newRun = () => `01ARZ3NDEKTSV4RRFFQ69G6${String(runs++).padStart(3, '0')}`;
const call = { index: 0, providerId: 'c', tool: 'give', input: {}, inputHash: 'h', class: 'once' } as const;
const reply: Draft<Reply> = {
  type: 'reply',
  text: '',
  content: [],
  calls: [call],
  finish: 'calls',
  usage: { inputTokens: 0, outputTokens: 0 },
  model: 'scripted/x',
  ms: 0,
  attempts: 1,
};
const question = { kind: 'approval', text: 'May it?', choices: ['approve', 'deny'] } as const;

/** A run that was over with a call that never began, and an ask about it. */
async function overRun(): Promise<string> {
  const runId = newRun();
  await lib.createMeta(aMeta({ runId, status: 'cancelled', epoch: 3 }));
  await lib.appendAt(runId, 1, { type: 'task', agent: 'tester', input: 'go' });
  await lib.appendAt(runId, 2, reply);
  await lib.appendAt(runId, 3, {
    type: 'ask',
    kind: 'approval',
    reason: 'consent',
    questions: [{ ...question, choices: [...question.choices] }],
  });
  await lib.appendAt(runId, 4, { type: 'end', status: 'cancelled', reason: 'cancelled', text: '' });
  return runId;
}

const entry = (runId: string): EffectRecord => ({
  v: 1,
  runId,
  key: `${runId}/2/0`,
  call: `${runId}/2/0`,
  tool: 'give',
  class: 'once',
  inputHash: 'h',
  state: 'started',
  epoch: 3,
  requestId: 'late',
  attempts: 1,
  seen: 3,
  startedAt: 1,
  deadline: 2,
});

/** Everything that an invocation which began before the run was erased could write. */
const LATE: Record<string, (runId: string) => Promise<unknown>> = {
  'a record where one was': (runId) => lib.appendAt(runId, 3, reply),
  'a record after the last': (runId) => lib.appendAt(runId, 5, reply),
  'the mark of a call that had not begun': (runId) => lib.claim(lib.callAddress(runId, 2, 0), entry(runId), undefined),
  'the outcome of a call': (runId) => lib.settle(lib.callAddress(runId, 2, 0), { ...entry(runId), state: 'done', ok: true, output: 'x' }),
  'the result of a call that reads': (runId) => lib.keepResult(lib.callAddress(runId, 2, 0), { ...entry(runId), class: 'read' }),
  'a notice': (runId) => lib.keepNotice({ runId, seq: 3, recipient: 'ada@example.test', hash: 'h', issue: 1, expiresAt: 1 }),
  'that a notice was sent': (runId) => lib.noteSent({ runId, seq: 3, place: 0 }, 1),
  'the token of a wait': (runId) => lib.keepWait(runId, 3, 9, 'token'),
  'the address of a callback': (runId) => lib.openCallback(`${runId}/2/0`, 'hash'),
  'a posted result': (runId) => lib.keepPosted(`${runId}/2/0`, { ok: true, output: 'x', postedAt: 1 }),
  'a sign of life': (runId) => lib.noteHeartbeat(`${runId}/2/0`, 1),
  'a message': (runId) => lib.postMessage(runId, '01ARZ3NDEKTSV4RRFFQ69G5AAA', { text: 'ada@example.test', files: [] }),
  'another segment': (runId) => lib.takeOver(runId, 9),
  'a step': (runId) => lib.beginStep({ runId, segment: 1, step: 'model:4', now: 1, log: [] }),
  'that it waits': (runId) => lib.setWait(aMeta({ runId }), 5, 'later'),
  'that it is cancelled': (runId) => lib.requestCancel(runId, 'Ada'),
};

const itemsOf = (runId: string) => lib.between(`RUN#${runId}`, '!', '~');

describe('a run that was erased', () => {
  it.each(Object.entries(LATE))('does not get %s', async (_, write) => {
    const runId = await overRun();
    expect(await lib.eraseRun(await lib.mustRead(runId), 'Eve', Date.now() + 5_000)).toBe(true);
    const before = await itemsOf(runId);
    await write(runId).catch((error: Error) => expect(error.name).toMatch(/ErasedError/));
    expect(await itemsOf(runId)).toEqual(before);
  });

  it('keeps fences while a late invocation may come, and nothing but its tombstone after that', async () => {
    const runId = await overRun();
    await lib.eraseRun(await lib.mustRead(runId), 'Eve', Date.now() + 5_000);
    expect((await itemsOf(runId)).length).toBeGreaterThan(4);
    await lib.put({ pk: `RUN#${runId}`, sk: 'I#late', v: 1, id: 'late', at: 1 });
    expect(await lib.purge(await lib.mustRead(runId), Date.now() + 5_000, true)).toBe(true);
    expect((await itemsOf(runId)).map(({ sk }) => sk)).toEqual(['META']);
    expect((await lib.mustRead(runId)).erased?.removed).toMatchObject({ records: 4, messages: 1 });
  });

  it('keeps nothing of what a late invocation did under a business key but what guards it', async () => {
    const runId = newRun();
    await lib.createMeta(aMeta({ runId, status: 'cancelled', epoch: 3 }));
    await lib.appendAt(runId, 1, { ...reply, calls: [{ ...call, businessKey: 'for ada@example.test' }] });
    await lib.appendAt(runId, 2, { type: 'end', status: 'cancelled', reason: 'cancelled', text: '' });
    await lib.eraseRun(await lib.mustRead(runId), 'Eve', Date.now() + 5_000);
    const address = lib.businessAddress('give', 'for ada@example.test');
    const late = { ...entry(runId), key: 'give/for ada@example.test' };
    await lib.claim(address, late, undefined);
    await lib.settle(address, { ...late, state: 'done', ok: true, output: 'given to ada@example.test' });
    expect(await lib.purge(await lib.mustRead(runId), Date.now() + 5_000, true)).toBe(true);
    const guard = await lib.readEffect(address);
    expect(guard).toMatchObject({ runId, state: 'done', inputHash: 'h', key: address.pk });
    expect(JSON.stringify(guard)).not.toContain('ada');
    expect((await itemsOf(runId)).map(({ sk }) => sk)).toEqual(['META']);
  });

  it('goes on where it was stopped by its time', async () => {
    const runId = await overRun();
    expect(await lib.eraseRun(await lib.mustRead(runId), 'Eve', Date.now() - 1)).toBe(false);
    expect(await lib.mustRead(runId)).toMatchObject({ status: 'erased', erased: { by: 'Eve', removed: {} } });
    expect(await lib.eraseRun(await lib.mustRead(runId), 'Bob', Date.now() + 5_000)).toBe(true);
    expect((await lib.mustRead(runId)).erased).toMatchObject({ by: 'Eve', doneAt: expect.any(Number), removed: { records: 4 } });
  });

  it('leaves of what newer code has written of an effect only what guards it', async () => {
    const runId = newRun();
    const address = lib.businessAddress('give', `order of ${runId}`);
    await lib.put({
      ...address,
      ...entry(runId),
      state: 'done',
      said: 'to ada@example.test',
      body: pack({ output: 'x', heard: 'by Bob' }),
    });
    expect(await lib.leaveGuardOf(runId, address)).toBe(true);
    const guard = await lib.get(address);
    expect(guard).toMatchObject({ state: 'done', requestId: 'erased' });
    expect(Object.keys(guard ?? {}).filter((name) => ['said', 'heard'].includes(name))).toEqual([]);
  });

  it('is not buried before it is over', async () => {
    const runId = newRun();
    await lib.createMeta(aMeta({ runId, status: 'running' }));
    await expect(lib.eraseRun(await lib.mustRead(runId), 'Eve', Date.now() + 5_000)).rejects.toThrow(/is running; cancel it first/);
    expect((await lib.mustRead(runId)).status).toBe('running');
  });
});
