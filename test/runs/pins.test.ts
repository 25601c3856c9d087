import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PinResponse, RunSummary } from '../../shared/api.ts';
import type { RunRecord } from '../../shared/record.ts';
import { askIn, resultsIn } from '../support/api-client.ts';
import { type Machine, startMachine } from '../support/machine.ts';
import { saidBy } from './pin-editions.ts';

const FIRST = new URL('./pin-agents-1.ts', import.meta.url);
const SECOND = new URL('./pin-agents-2.ts', import.meta.url);

/** Runs that begin under the first edition, by the name of their test, with their agent: each waits for consent when the second comes. */
const BEGUN = {
  stays: 'stays',
  'goes back': 'stays',
  shows: 'requires',
  asks: 'asks',
  declines: 'asks',
  aborts: 'asks',
  nameless: 'asks',
  cancels: 'asks',
  restarts: 'asks',
  adopts: 'adopts',
  renames: 'renames',
  removes: 'removes',
  requires: 'requires',
  reclassifies: 'reclassifies',
  adds: 'adds',
  volunteers: 'stays',
  expects: 'stays',
  forks: 'requires',
  'forks, unchanged': 'stays',
} as const;
type Name = keyof typeof BEGUN;

let machine: Machine;
const ids = new Map<Name, string>();
beforeAll(async () => {
  machine = await startMachine(FIRST, { sweepMs: 500 });
  for (const [name, agent] of Object.entries(BEGUN)) ids.set(name as Name, await machine.api.start(agent, name));
  for (const runId of ids.values()) await machine.api.until(runId, 'waiting');
  await machine.restart({ agents: SECOND });
}, 300_000);
afterAll(() => machine?.stop());

const idOf = (name: Name): string => ids.get(name) ?? '';
const paid = (runId: string) => machine.world.applied.filter(({ key }) => key.startsWith(runId)).map(({ name }) => name);
const textOf = (records: RunRecord[]) => records.findLast((record) => record.type === 'reply')?.text ?? '';
const pinOf = async (runId: string) => (await machine.api.call<PinResponse>('GET', `/runs/${runId}/pin`)).body;

/** Answers what a run asks of a kind, once it does. */
async function answer(runId: string, kind: string, body: object): Promise<void> {
  const run = await asked(runId, kind);
  expect(await machine.api.answer(run, { by: 'Ada', ...body })).toMatchObject({ status: 200 });
}

async function asked(runId: string, kind: string): Promise<RunSummary> {
  await expect.poll(async () => (await machine.api.show(runId)).ask?.kind, { timeout: 60_000 }).toBe(kind);
  return machine.api.show(runId);
}

const approve = (runId: string) => answer(runId, 'approval', { decision: 'approve' });

describe('an agent that is edited while a run of it waits', () => {
  it('shows what the run is pinned to, and what is different now', async () => {
    const { pin, pinned, drift } = await pinOf(idOf('shows'));
    expect(pin).toMatchObject({ model: 'scripted/requires', tools: { pay: { class: 'once' } } });
    expect(pinned).toMatchObject({ instructions: 'Pay what is asked', tools: [{ name: 'pay' }] });
    expect(drift?.changes).toEqual([
      'instructions:\n+ Be quick',
      'tool pay: new required field "reason"',
      'code: version 1 became version 2',
    ]);
  });

  it('goes on with the code, the instructions and the tools that it began with', async () => {
    const runId = idOf('stays');
    await approve(runId);
    expect((await machine.api.until(runId, 'completed')).version).toBe(1);
    expect(paid(runId)).toEqual(['pay of edition 1']);
    expect(saidBy(textOf(await machine.api.records(runId))).edition).toBe(1);
  });
});

describe('an agent whose policy is to ask about new code', () => {
  it('asks once it is woken, before anything runs, and says what is different', async () => {
    const runId = idOf('asks');
    await approve(runId);
    await asked(runId, 'restart');
    const ask = askIn(await machine.api.records(runId));
    expect(ask).toMatchObject({ kind: 'restart', reason: 'code-changed' });
    expect(ask.questions[0]).toMatchObject({
      text: expect.stringContaining('+ Be quick'),
      choices: ['repin', 'restart', 'retry', 'abort'],
    });
    expect(paid(runId)).toEqual([]);
    await answer(runId, 'restart', { decision: 'repin' });
    await machine.api.until(runId, 'completed');
    expect(paid(runId)).toEqual(['pay of edition 2']);
    expect((await pinOf(runId)).drift?.changes).toEqual([]);
    expect((await machine.api.records(runId)).filter(({ type }) => type === 'ask')).toHaveLength(2);
  });

  it('stays on its code when a person says so, and is not asked again', async () => {
    const runId = idOf('declines');
    await approve(runId);
    await answer(runId, 'restart', { decision: 'retry' });
    await machine.api.until(runId, 'completed');
    expect(paid(runId)).toEqual(['pay of edition 1']);
  });

  it('ends when a person says so', async () => {
    const runId = idOf('aborts');
    await approve(runId);
    await answer(runId, 'restart', { decision: 'abort' });
    expect(await machine.api.until(runId, 'failed')).toMatchObject({ reason: 'aborted' });
    expect(paid(runId)).toEqual([]);
  });

  it('takes a yes only from somebody with a name', async () => {
    const runId = idOf('nameless');
    await approve(runId);
    const refused = await machine.api.answer(await asked(runId, 'restart'), { decision: 'repin' });
    expect(refused).toMatchObject({ status: 400, body: { field: 'by' } });
  });

  it('can be cancelled while it is asked', async () => {
    const runId = idOf('cancels');
    await approve(runId);
    await asked(runId, 'restart');
    await machine.api.call('POST', `/runs/${runId}/cancel`, { by: 'Ada' });
    await machine.api.until(runId, 'cancelled');
    expect(paid(runId)).toEqual([]);
  });

  it('is started over under the new code when a person says so', async () => {
    const runId = idOf('restarts');
    await approve(runId);
    await answer(runId, 'restart', { decision: 'restart' });
    const old = await machine.api.until(runId, 'cancelled');
    expect(old.reason).toBe('restarted');
    const { runs } = (await machine.api.call<{ runs: RunSummary[] }>('GET', '/runs?agent=asks&limit=1')).body;
    const fresh = runs[0]?.runId ?? '';
    expect(runs[0]?.version).toBe(2);
    await approve(fresh);
    await machine.api.until(fresh, 'completed');
    expect([...paid(runId), ...paid(fresh)]).toEqual(['pay of edition 2']);
  });
});

it('an agent whose policy is to adopt new code goes on with it, on the word of the person it names', async () => {
  const runId = idOf('adopts');
  await approve(runId);
  await machine.api.until(runId, 'completed');
  expect(paid(runId)).toEqual(['pay of edition 2']);
  expect((await machine.api.records(runId)).filter(({ type }) => type === 'answer')).toMatchObject([
    { by: 'Ada' },
    { by: 'Grace', via: 'policy', answers: [{ decision: 'repin', pin: { machine: expect.stringMatching(/:2$/) } }] },
  ]);
});

describe('a call that was approved, and whose tool is another since', () => {
  it.each([
    ['renamed', 'renames', /no longer available/],
    ['removed', 'removes', /no longer available/],
    ['with a new required field', 'requires', /has changed since it was approved: it does not take these arguments/],
    ['of another class', 'reclassifies', /has changed since it was approved: its class was once and is idempotent/],
  ] as const)('is not run: %s', async (_, name, why) => {
    const runId = idOf(name);
    await approve(runId);
    await answer(runId, 'restart', { decision: 'repin' });
    await machine.api.until(runId, 'completed');
    expect(paid(runId)).toEqual([]);
    expect(resultsIn(await machine.api.records(runId))).toMatchObject([{ ok: false, output: expect.stringMatching(why) }]);
  });

  it.each([
    ['forks', [], /has changed since it was called: it does not take these arguments/],
    ['forks, unchanged', ['pay of edition 2'], /"ok":true/],
  ] as const)('is run by a fork only if its tool takes the very same arguments: %s', async (name, effects, said) => {
    const parent = idOf(name);
    await machine.api.call('POST', `/runs/${parent}/cancel`, {});
    await machine.api.until(parent, 'cancelled');
    const { body } = await machine.api.call<{ run: RunSummary }>('POST', `/runs/${parent}/fork`, { at: 2 });
    const { runId } = body.run;
    if (effects.length > 0) await approve(runId);
    await machine.api.until(runId, 'completed');
    expect(paid(runId)).toEqual(effects);
    expect(JSON.stringify(resultsIn(await machine.api.records(runId)))).toMatch(said);
  });

  it('runs as approved when the new tool takes the very same arguments, and is not asked about again', async () => {
    const runId = idOf('adds');
    await approve(runId);
    await answer(runId, 'restart', { decision: 'repin' });
    await machine.api.until(runId, 'completed');
    expect(paid(runId)).toEqual(['pay of edition 2']);
    expect((await machine.api.records(runId)).filter((record) => record.type === 'ask' && record.kind === 'approval')).toHaveLength(1);
  });
});

describe('POST /runs/{id}/repin', () => {
  const repin = (runId: string, body: object) => machine.api.call<{ title: string }>('POST', `/runs/${runId}/repin`, body);

  it('gives a waiting run to the code in service, on the word of somebody with a name; what waited is asked anew', async () => {
    const runId = idOf('volunteers');
    expect(await repin(runId, {})).toMatchObject({ status: 400 });
    expect(await repin(runId, { by: 'Ada' })).toMatchObject({ status: 202 });
    expect((await asked(runId, 'approval')).version).toBe(2);
    await approve(runId);
    await machine.api.until(runId, 'completed');
    expect(paid(runId)).toEqual(['pay of edition 2']);
  });

  it('adopts what was shown and nothing else, and nothing where nothing is different', async () => {
    const runId = idOf('expects');
    expect(await repin(runId, { by: 'Ada', expect: 'what it was yesterday' })).toMatchObject({
      status: 409,
      body: { title: 'Changed since' },
    });
    const { drift } = await pinOf(runId);
    expect(await repin(runId, { by: 'Ada', expect: drift?.hash })).toMatchObject({ status: 202 });
    await asked(runId, 'approval');
    expect(await repin(runId, { by: 'Ada' })).toMatchObject({ status: 409, body: { title: 'Nothing to adopt' } });
  });
});

describe('an edit that is taken back', () => {
  it('leaves every run on the code with which it began', async () => {
    const fresh = await machine.api.start('stays', 'under the second');
    expect((await machine.api.until(fresh, 'waiting')).version).toBe(2);
    await machine.restart({ agents: FIRST });
    const old = idOf('goes back');
    for (const runId of [old, fresh]) {
      await approve(runId);
      await machine.api.until(runId, 'completed');
    }
    expect([...paid(old), ...paid(fresh)]).toEqual(['pay of edition 1', 'pay of edition 2']);
    expect((await machine.api.show(await machine.api.start('stays', 'new'))).version).toBe(1);
  });

  it('is what a fork of a run that was given to it begins with, as any new run does', async () => {
    const parent = idOf('adopts');
    const at = (await machine.api.records(parent)).findLast(({ type }) => type === 'results')?.seq;
    const { body } = await machine.api.call<{ run: RunSummary }>('POST', `/runs/${parent}/fork`, { at });
    const fork = await machine.api.until(body.run.runId, 'completed');
    expect([(await machine.api.show(parent)).version, fork.version]).toEqual([2, 1]);
    expect(saidBy(textOf(await machine.api.records(fork.runId))).edition).toBe(1);
    expect(await pinOf(fork.runId)).toMatchObject({ pinned: { instructions: 'Pay what is asked' }, drift: { changes: [] } });
  });
});
