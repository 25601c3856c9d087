import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunSummary } from '../../shared/api.ts';
import { askIn, resultsIn } from '../support/api-client.ts';
import { type Machine, startMachine } from '../support/machine.ts';

const FIRST = new URL('./pin-agents-1.ts', import.meta.url);
const SECOND = new URL('./pin-agents-2.ts', import.meta.url);

const AGENTS = { repins: 'stays', requires: 'requires', aborts: 'stays', restarts: 'stays', cancels: 'stays', retries: 'stays' } as const;
type Name = keyof typeof AGENTS;

let machine: Machine;
const ids = new Map<Name, string>();
/** Runs wait for consent under code that is gone when the next comes into service. */
beforeAll(async () => {
  machine = await startMachine(FIRST, { sweepMs: 500 });
  for (const [name, agent] of Object.entries(AGENTS)) ids.set(name as Name, await machine.api.start(agent, name));
  for (const runId of ids.values()) await machine.api.until(runId, 'waiting');
  await machine.host.stop();
  rmSync(join(machine.dataDir, 'versions', '1'), { recursive: true });
  await machine.restart({ agents: SECOND });
}, 300_000);
afterAll(() => machine?.stop());

const idOf = (name: Name): string => ids.get(name) ?? '';
const paid = (runId: string) => machine.world.applied.filter(({ key }) => key.startsWith(runId)).map(({ name }) => name);

async function asked(runId: string, kind: string): Promise<RunSummary> {
  await expect.poll(async () => (await machine.api.show(runId)).ask?.kind, { timeout: 60_000 }).toBe(kind);
  return machine.api.show(runId);
}

async function answer(runId: string, kind: string, decision: string): Promise<void> {
  expect(await machine.api.answer(await asked(runId, kind), { by: 'Ada', decision })).toMatchObject({ status: 200 });
}

describe('a run whose code is gone', () => {
  it('asks whether to restart, says what is different, and goes on under the new code when a person says so', async () => {
    const runId = idOf('repins');
    await asked(runId, 'restart');
    const ask = askIn(await machine.api.records(runId));
    expect(ask).toMatchObject({ reason: 'code-gone', questions: [{ choices: ['repin', 'restart', 'retry', 'abort'] }] });
    expect(ask.questions[0]?.text).toMatch(/its code, .*:1, is gone/);
    expect(ask.questions[0]?.text).toContain('+ Be quick');
    await answer(runId, 'restart', 'repin');
    await answer(runId, 'approval', 'approve');
    await machine.api.until(runId, 'completed');
    expect(paid(runId)).toEqual(['pay of edition 2']);
  });

  it('asks for no consent to what the new code would not take', async () => {
    const runId = idOf('requires');
    await answer(runId, 'restart', 'repin');
    await machine.api.until(runId, 'completed');
    expect(paid(runId)).toEqual([]);
    const [result] = resultsIn(await machine.api.records(runId));
    expect(result?.output).toMatch(/has changed since .* does not take these arguments/);
  });

  it('ends when a person aborts it', async () => {
    const runId = idOf('aborts');
    await answer(runId, 'restart', 'abort');
    expect(await machine.api.until(runId, 'failed')).toMatchObject({ reason: 'aborted' });
  });

  it('is started over when a person says so', async () => {
    const runId = idOf('restarts');
    await answer(runId, 'restart', 'restart');
    expect(await machine.api.until(runId, 'cancelled')).toMatchObject({ reason: 'restarted' });
  });

  it('can be cancelled', async () => {
    const runId = idOf('cancels');
    await asked(runId, 'restart');
    await machine.api.call('POST', `/runs/${runId}/cancel`, { by: 'Ada' });
    await machine.api.until(runId, 'cancelled');
  });

  it('asks again when its code is tried again and is still gone; resuming it changes nothing', async () => {
    const runId = idOf('retries');
    await answer(runId, 'restart', 'retry');
    await expect
      .poll(async () => (await machine.api.records(runId)).filter(({ type }) => type === 'ask').length, { timeout: 60_000 })
      .toBe(3);
    await asked(runId, 'restart');
    expect((await machine.api.call('POST', `/runs/${runId}/resume`, {})).status).toBe(202);
    expect((await machine.api.show(runId)).status).toBe('waiting');
    expect((await machine.api.records(runId)).filter(({ type }) => type === 'ask')).toHaveLength(3);
  });
});
