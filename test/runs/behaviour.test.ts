import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { askIn, resultsIn } from '../support/api-client.ts';
import { type Machine, startMachine } from '../support/machine.ts';

let machine: Machine;
beforeAll(async () => {
  machine = await startMachine(new URL('./behaviour-agents.ts', import.meta.url), { timeoutSeconds: { 'tool-step': 9 } });
});
afterAll(() => machine?.stop());
beforeEach(() => {
  machine.world.applied.length = 0;
});

const times = (name: string) => machine.world.applied.filter((effect) => effect.name === name).length;

describe('attempts', () => {
  it('finds the one call of a turn that kills its process, and asks about it alone', async () => {
    const { api } = machine;
    const runId = await api.start('any', [['look_up a', 'die_reading b', 'look_up c']]);
    const waiting = await api.until(runId, 'waiting', 'failed', 'completed');
    expect(waiting).toMatchObject({ status: 'waiting', reason: 'escalation: repeated-call' });
    expect(askIn(await api.records(runId)).questions).toMatchObject([{ index: 1, tool: 'die_reading' }]);
    expect(times('die_reading')).toBe(3);
    expect((await api.answer(waiting, { decision: 'skip', comment: 'leave it' })).status).toBe(200);
    await api.until(runId, 'completed');
    expect(resultsIn(await api.records(runId))).toMatchObject([{ ok: true }, { ok: false, output: 'leave it' }, { ok: true }]);
    expect(times('look_up')).toBeLessThanOrEqual(4);
  });

  it('offers a write that kills its process the same key each time, and asks after the last try', async () => {
    const { api, world } = machine;
    const runId = await api.start('any', [['die_writing a']]);
    const waiting = await api.until(runId, 'waiting');
    expect(askIn(await api.records(runId))).toMatchObject({ kind: 'escalation' });
    expect(times('die_writing')).toBe(3);
    expect(new Set(world.applied.map(({ key }) => key)).size).toBe(1);
    await api.answer(waiting, { decision: 'abort', by: 'Ada' });
    expect(await api.until(runId, 'failed')).toMatchObject({ reason: 'aborted' });
  });

  it('asks when the model step never ends', async () => {
    const { api } = machine;
    const runId = await api.start('dying-model', 'go');
    expect(await api.until(runId, 'waiting')).toMatchObject({ reason: 'escalation: step-fails' });
  });

  it("counts the agent's own repeats of a failing call", async () => {
    const { api } = machine;
    const runId = await api.start('forever', 'go');
    const first = await api.until(runId, 'waiting');
    expect(first.reason).toBe('escalation: repeated-call');
    expect(times('fail')).toBe(3);
    expect(first.totals.turns).toBe(4);
    await api.answer(first, { decision: 'abort' });
    await api.until(runId, 'failed');
  });

  it('starts counting again after a different turn', async () => {
    const { api } = machine;
    const runId = await api.start('any', [['fail'], ['fail'], ['look_up'], ['fail'], ['fail'], 'Done.']);
    await api.until(runId, 'completed');
    expect(resultsIn(await api.records(runId)).map(({ attempts }) => attempts)).toEqual([1, 2, 1, 1, 2]);
  });

  it('gives a tool that never returns an error result that names the tool and its limit', async () => {
    const { api } = machine;
    const runId = await api.start('any', [['hang']]);
    await api.until(runId, 'completed');
    expect(resultsIn(await api.records(runId))).toMatchObject([{ ok: false, output: 'hang did not return within its limit of 1 s' }]);
  });

  it('keeps what is finished beside a call that never ends: a crash runs none of it again', async () => {
    const { api, world } = machine;
    let pid = 0;
    const killed = new Set<string>();
    world.strike = (request) => {
      pid = request.pid;
      return false;
    };
    // Once while the read hangs, and once while the last write is under way.
    world.onApply = async ({ name }) => {
      if (killed.has(name) || !['look_up', 'slow_idempotent'].includes(name)) return;
      killed.add(name);
      const worker = pid;
      setTimeout(() => process.kill(worker, 'SIGKILL'), 300);
    };
    const runId = await api.start('any', [['look_up a', 'hang', 'pay b', 'slow_idempotent c']]);
    await api.until(runId, 'completed');
    delete world.strike;
    delete world.onApply;
    expect(resultsIn(await api.records(runId))).toMatchObject([
      { ok: true },
      { ok: false, output: 'hang did not return within its limit of 1 s' },
      { ok: true },
      { ok: true },
    ]);
    expect([killed.size, times('look_up'), times('pay')]).toEqual([2, 1, 1]);
    expect(new Set(world.applied.filter(({ name }) => name === 'slow_idempotent').map(({ key }) => key)).size).toBe(1);
  });

  it('ends a tool that blocks its thread, and asks: about a write that may have happened, and does not do it again', async () => {
    const { api } = machine;
    const [read, write] = await Promise.all(['block', 'block_once'].map((tool) => api.start('any', [[tool]])));
    expect(await api.until(read as string, 'waiting')).toMatchObject({ reason: 'escalation: repeated-call' });
    const waiting = await api.until(write as string, 'waiting');
    expect(waiting).toMatchObject({ reason: 'outcome-unknown: outcome-unknown', attempts: 2 });
    await api.answer(waiting, { decision: 'done', output: 'paid', by: 'Ada' });
    await api.until(write as string, 'completed');
    expect(resultsIn(await api.records(write as string))).toMatchObject([{ ok: true, output: 'paid' }]);
    expect(times('block_once')).toBe(1);
  });
});

describe('limits', () => {
  it('asks at the turn limit, and goes on from there without doing anything twice', async () => {
    const { api } = machine;
    const runId = await api.start('short', 'go');
    const waiting = await api.until(runId, 'waiting');
    expect(waiting).toMatchObject({ reason: 'escalation: turn-limit', totals: { turns: 5 } });
    expect(times('pay')).toBe(5);
    await api.answer(waiting, { decision: 'raise' });
    const again = await untilOtherAsk(runId, waiting.ask?.id);
    expect(times('pay')).toBe(10);
    await api.answer(again, { decision: 'stop' });
    expect(await api.until(runId, 'failed')).toMatchObject({ reason: 'turn-limit' });
  });

  it.each([
    ['refused', 'refused', 1],
    ['silent', 'empty-reply', 3],
    ['cut', 'output-limit', 3],
    ['cut-text', 'output-limit', 1],
  ])('ends agent %s with the reason %s', async (agent, reason, replies) => {
    const { api } = machine;
    const runId = await api.start(agent, 'go');
    expect(await api.until(runId, 'failed', 'completed')).toMatchObject({ status: 'failed', reason });
    expect((await api.records(runId)).filter(({ type }) => type === 'reply')).toHaveLength(replies);
    expect(machine.world.applied).toEqual([]);
  });

  it('asks when only a person can make the provider answer', async () => {
    const { api } = machine;
    const runId = await api.start('billing', 'go');
    const waiting = await api.until(runId, 'waiting');
    expect(waiting.reason).toBe('escalation: billing');
    expect((await api.records(runId)).map(({ type }) => type)).toEqual(['task', 'ask']);
    await api.answer(waiting, { decision: 'retry' });
    const again = await api.until(runId, 'waiting');
    await api.call('POST', `/runs/${runId}/cancel`);
    expect(again.status).toBe('waiting');
    expect(await api.until(runId, 'cancelled')).toMatchObject({ reason: 'cancelled' });
  });
});

describe('repeated calls', () => {
  it.each([
    ['pay', 2],
    ['pay_reuse', 1],
  ])('runs an equal call of %s in a later turn so that it took effect %i times', async (tool, count) => {
    const { api } = machine;
    const runId = await api.start('any', [[`${tool} a`], [`${tool} a`], [`${tool} b`]]);
    await api.until(runId, 'completed');
    expect(times(tool)).toBe(count + 1);
    expect(resultsIn(await api.records(runId)).map(({ ok }) => ok)).toEqual([true, true, true]);
  });

  it('asks before an equal call when the tool says so', async () => {
    const { api } = machine;
    const runId = await api.start('any', [['pay_ask a'], ['pay_ask a']]);
    const waiting = await api.until(runId, 'waiting');
    expect(waiting.ask?.kind).toBe('approval');
    await api.answer(waiting, { decision: 'deny', by: 'Ada' });
    await api.until(runId, 'completed');
    expect(times('pay_ask')).toBe(1);
  });

  it('keeps the key of an earlier equal call whose outcome is open', async () => {
    const { api, world } = machine;
    const runId = await api.start('any', [['pay_lost a'], ['pay_lost a']]);
    const first = await api.until(runId, 'waiting');
    await api.answer(first, { decision: 'skip', comment: 'go on' });
    const second = await untilOtherAsk(runId, first.ask?.id);
    expect(world.applied).toHaveLength(1);
    await api.answer(second, { decision: 'abort' });
    await api.until(runId, 'failed');
  });

  it('does a business key once over all runs', async () => {
    const { api } = machine;
    const order = `order-${Date.now()}`;
    const runs = await Promise.all([1, 2, 3].map(() => api.start('any', [[`pay_order ${order}`]])));
    for (const runId of runs) await api.until(runId, 'completed');
    expect(times('pay_order')).toBe(1);
    for (const runId of runs) expect(resultsIn(await api.records(runId))).toMatchObject([{ ok: true, output: { done: 'pay_order' } }]);
  });
});

describe('one key with other content', () => {
  it('is a conflict where it is of a call: nothing runs, and what the first was answered is not given for it', async () => {
    const { api } = machine;
    const bill = `bill-${Date.now()}`;
    const first = await api.start('any', [[`pay_bill ${bill}/100`]]);
    await api.until(first, 'completed');
    const before = await api.records(first);
    const second = await api.start('any', [[`pay_bill ${bill}/200`], [`pay_bill ${bill}/100`], [`pay_bill ${bill}/200`]]);
    await api.until(second, 'completed');
    expect(resultsIn(await api.records(second))).toMatchObject([
      {
        ok: false,
        output: expect.stringMatching(`Not run: the key "pay_bill/${bill}" stands for a call with other arguments, which was done`),
      },
      { ok: true, reused: true, output: { done: 'pay_bill' } },
      { ok: false },
    ]);
    expect(machine.world.applied.filter(({ name }) => name === 'pay_bill').map(({ input }) => input)).toEqual([`${bill}/100`]);
    expect(await api.records(first)).toEqual(before);
  });

  it('is a conflict where it is of a client: no run is started, and the first goes on untouched', async () => {
    const { api } = machine;
    const runId = await api.start('any', [['pay a']], 'key K');
    const other = { agent: 'any', input: [['pay b']] };
    const refused = await api.call<{ detail: string }>('POST', '/runs', other, { 'idempotency-key': 'key K' });
    expect([refused.status, refused.body.detail]).toEqual([422, expect.stringContaining('stands for another request')]);
    await api.until(runId, 'completed');
    expect(times('pay')).toBe(1);
    expect(await api.start('any', [['pay a']], 'key K')).toBe(runId);
  });
});

/** A run that is resumed by two at one moment: one of them goes on with it. */
async function resumedTwice(): Promise<void> {
  const { api, world } = machine;
  const runId = await api.start('any', [['pay a'], ['pay b'], ['pay c'], ['look_up d']]);
  const resumes = await Promise.all([1, 2].map(() => api.call<{ title?: string }>('POST', `/runs/${runId}/resume`)));
  for (const { status, body } of resumes)
    if (status !== 202) expect([status, body.title]).toEqual([409, expect.stringMatching(/Already resumed|Run has ended/)]);
  await api.until(runId, 'completed');
  expect(world.applied.filter(({ key }) => key.startsWith(runId)).map(({ input }) => input)).toEqual(['a', 'b', 'c', 'd']);
  expect((await api.records(runId)).filter(({ type }) => type === 'reply')).toHaveLength(5);
}

describe('several at once', () => {
  it('gives a client key one run, however often and at once it is sent', async () => {
    const { api } = machine;
    const ids = await Promise.all([1, 2, 3, 4].map(() => api.start('any', [['pay a']], 'the same key')));
    expect(new Set(ids).size).toBe(1);
    await api.until(ids[0] as string, 'completed');
    expect(times('pay')).toBe(1);
    const other = await api.start('any', [['pay a']]);
    expect(other).not.toBe(ids[0]);
    await api.until(other, 'completed');
  });

  it('lets one of two resumes go on, every one of 50 times', async () => {
    for (let batch = 0; batch < 5; batch++) await Promise.all(Array.from({ length: 10 }, resumedTwice));
  });

  it('takes in messages in order, none lost and none twice', async () => {
    const { api } = machine;
    const runId = await api.start('echo', 'hello');
    const sent = Array.from({ length: 12 }, (_, i) => `message ${i}`);
    for (const text of sent) expect((await api.call('POST', `/runs/${runId}/messages`, { text })).status).toBe(202);
    await expect
      .poll(async () =>
        (await api.records(runId)).flatMap((record) => (record.type === 'user' ? record.messages.map(({ text }) => text) : [])),
      )
      .toEqual(sent);
    await api.until(runId, 'completed');
  });
});

describe('an attempt that is still at work', () => {
  it.each(['slow_idempotent', 'slow_once'])(
    '%s: is waited for by a run that is resumed, and no longer than it takes',
    async (tool) => {
      const { api } = machine;
      const runId = await api.start('any', [[tool]]);
      await expect.poll(() => times(tool)).toBe(1);
      await api.call('POST', `/runs/${runId}/resume`, {});
      await expect.poll(async () => (await api.show(runId)).reason).toBe(`${tool} may still be at work`);
      await api.until(runId, 'completed', 'waiting');
      expect(resultsIn(await api.records(runId))).toMatchObject([{ ok: true, attempts: 1 }]);
      expect(times(tool)).toBe(1);
    },
    20_000,
  );

  it.each(['slow_idempotent_order', 'slow_once_order'])(
    '%s: is waited for by another run with the same business key',
    async (tool) => {
      const { api } = machine;
      const item = `${tool}-${Date.now()}`;
      const first = await api.start('any', [[`${tool} ${item}`]]);
      await expect.poll(() => times(tool)).toBe(1);
      const second = await api.start('any', [[`${tool} ${item}`]]);
      await api.until(first, 'completed', 'waiting');
      await api.until(second, 'completed', 'waiting');
      expect(resultsIn(await api.records(second))).toMatchObject([{ ok: true, reused: true }]);
      expect(times(tool)).toBe(1);
    },
    20_000,
  );
});

describe('sent again', () => {
  it('a message that was taken in leaves the run completed, every time', async () => {
    const { api } = machine;
    const runId = await api.start('echo', 'hello');
    await api.until(runId, 'completed');
    const send = () => api.call('POST', `/runs/${runId}/messages`, { text: 'once' }, { 'idempotency-key': `again ${runId}` });
    await send();
    await expect.poll(async () => (await api.records(runId)).length).toBe(6);
    for (let round = 0; round < 8; round++) {
      await api.until(runId, 'completed');
      expect((await send()).status).toBe(202);
    }
    await api.until(runId, 'completed');
    expect(await api.records(runId)).toHaveLength(6);
  });

  it('a cancel is as good as the first', async () => {
    const { api } = machine;
    const runId = await api.start('any', [['pay_ask a'], ['pay_ask a']]);
    await api.until(runId, 'waiting');
    for (let round = 0; round < 2; round++) {
      expect((await api.call('POST', `/runs/${runId}/cancel`, { by: 'Ada' })).status).toBe(202);
      await api.until(runId, 'cancelled');
    }
  });
});

describe('a restarted host', () => {
  it('goes on with a wait for an overloaded model where it stood', async () => {
    const { api } = machine;
    const runId = await api.start('busy-model', 'go');
    await expect.poll(async () => (await api.show(runId)).reason).toMatch(/^overloaded/);
    const { waitUntil = 0 } = await api.show(runId);
    await machine.restart();
    await machine.api.until(runId, 'completed');
    const reply = (await machine.api.records(runId)).find(({ type }) => type === 'reply');
    expect(reply).toMatchObject({ attempts: 2 });
    expect(reply?.at).toBeGreaterThanOrEqual(waitUntil);
  });

  it('keeps an ask open, and the answer wakes the run', async () => {
    const runId = await machine.api.start('any', [['pay_ask a'], ['pay_ask a']]);
    await machine.api.until(runId, 'waiting');
    await machine.restart();
    const waiting = await machine.api.until(runId, 'waiting');
    await machine.api.answer(waiting, { decision: 'approve' });
    await machine.api.until(runId, 'completed');
    expect(times('pay_ask')).toBe(2);
  });
});

async function untilOtherAsk(runId: string, id: string | undefined) {
  for (;;) {
    const run = await machine.api.until(runId, 'waiting');
    if (run.ask?.id !== id) return run;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
