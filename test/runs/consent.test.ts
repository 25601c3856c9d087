import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { view } from '../../shared/view.ts';
import { resultsIn } from '../support/api-client.ts';
import { type Machine, startMachine } from '../support/machine.ts';

const environment: Record<string, string> = {};
let machine: Machine;
beforeAll(async () => {
  machine = await startMachine(new URL('./ask-agents.ts', import.meta.url), { sweepMs: 200, environment });
});
afterAll(() => machine?.stop());

const effectsOf = (runId: string) => machine.world.applied.filter(({ key }) => key.startsWith(runId)).map(({ name }) => name);
const mailOf = (runId: string): string | undefined =>
  readdirSync(join(machine.dataDir, 'outbox'))
    .map((name) => readFileSync(join(machine.dataDir, 'outbox', name), 'utf8'))
    .find((mail) => mail.includes(runId));

async function asking(...lines: string[][]) {
  const runId = await machine.api.start('payer', lines);
  return machine.api.until(runId, 'waiting');
}

/** Deploys with the rule as it is said: what is stored meets other code. */
async function deploy(rule: 'on' | 'off'): Promise<void> {
  environment.CONSENT_RULE = rule;
  await machine.restart();
}

describe('a rule that changes while consent is waited for', () => {
  it('does not undo the question: a no holds', async () => {
    await deploy('on');
    const { runId } = await asking(['pay_ruled a']);
    await deploy('off');
    await machine.api.answer(await machine.api.until(runId, 'waiting'), { decision: 'deny' });
    await machine.api.until(runId, 'completed');
    expect(effectsOf(runId)).toEqual([]);
    expect(resultsIn(await machine.api.records(runId))).toMatchObject([{ ok: false }]);
  });

  it('asks from the next call on', async () => {
    await deploy('off');
    const runId = await machine.api.start('payer', [['pay_ruled a'], ['ask_user Go on?'], ['pay_ruled b']]);
    const run = await machine.api.until(runId, 'waiting');
    expect(effectsOf(runId)).toEqual(['pay_ruled']);
    await deploy('on');
    await machine.api.answer(run, { decision: 'result', output: 'yes' });
    await expect.poll(async () => (await machine.api.show(runId)).ask?.kind, { timeout: 20_000 }).toBe('approval');
    expect(effectsOf(runId)).toEqual(['pay_ruled']);
  });
});

describe('a message that is sent while consent is waited for', () => {
  it.each([
    ['a yes', 'pay a', 'approve'],
    ['a no', 'pay a', 'deny'],
    ['the clock', 'pay_soon a', undefined],
  ])('comes after the result of the call, with %s', async (_, call, decision) => {
    const run = await asking([call]);
    await machine.api.call('POST', `/runs/${run.runId}/messages`, { text: 'Make it less instead' });
    if (decision) await machine.api.answer(run, { decision });
    await machine.api.until(run.runId, 'completed');
    const records = await machine.api.records(run.runId);
    expect(records.map(({ type }) => type)).toEqual(['task', 'reply', 'ask', 'answer', 'results', 'user', 'reply', 'end']);
    const shown = view(records).map(({ role }) => role);
    expect(shown).toEqual(['user', 'assistant', 'tool', 'user', 'assistant']);
  });
});

describe('an agent that would consent to its own call', () => {
  it('is shown nothing from which an address or a secret could be made, and cannot press the button', async () => {
    const first = await asking(['pay a']);
    await expect.poll(() => mailOf(first.runId), { timeout: 20_000 }).toBeDefined();
    const link = new URL(/https?:\/\/[^\s"\\]+\/a\/[^\s"\\]+/.exec(mailOf(first.runId) ?? '')?.[0] ?? '');
    const address = `${link.origin}${link.pathname}`;
    const presser = await machine.api.start('payer', [[`press ${address}`]]);
    await machine.api.until(presser, 'completed');
    const [pressed] = resultsIn(await machine.api.records(presser));
    expect(pressed?.output).toMatchObject({ status: 403 });
    expect((await machine.api.show(first.runId)).status).toBe('waiting');
    const told = JSON.stringify([...(await machine.api.records(first.runId)), ...(await machine.api.records(presser))]);
    expect(told).not.toContain(link.searchParams.get('t'));
    await machine.api.answer(await machine.api.show(first.runId), { by: 'Ann', decision: 'approve' });
    await machine.api.until(first.runId, 'completed');
    expect((await machine.api.records(first.runId)).find(({ type }) => type === 'answer')).toMatchObject({ by: 'Ann', via: 'API' });
  });
});

describe('the calls of one reply', () => {
  it('each get their own result when one of them fails: the others are kept and nothing is run again', async () => {
    const runId = await machine.api.start('payer', [['give a', 'read_slowly broken', 'read_slowly b']]);
    await machine.api.until(runId, 'completed');
    expect(resultsIn(await machine.api.records(runId))).toMatchObject([
      { ok: true },
      { ok: false, output: expect.stringContaining('The index is broken') },
      { ok: true },
    ]);
    expect(effectsOf(runId)).toEqual(['give']);
  });

  it.each([
    ['before', ['read_slowly a', 'pay b']],
    ['after', ['pay b', 'read_slowly a']],
  ])('that read keep their output when one %s them is decided about', async (_, calls) => {
    for (const decision of ['approve', 'deny']) {
      const run = await asking(calls);
      await machine.api.answer(run, { decision });
      await machine.api.until(run.runId, 'completed');
      const results = resultsIn(await machine.api.records(run.runId));
      const [read, paid] = calls[0] === 'pay b' ? [results[1], results[0]] : [results[0], results[1]];
      expect(read).toMatchObject({ ok: true, output: { value: 'as it is' }, attempts: 1 });
      expect(paid?.ok).toBe(decision === 'approve');
      expect(effectsOf(run.runId)).toEqual(decision === 'approve' ? ['pay'] : []);
    }
  });
});
