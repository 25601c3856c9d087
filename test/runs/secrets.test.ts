import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Json } from '../../shared/json.ts';
import type { Reply, RunRecord } from '../../shared/record.ts';
import { MASK } from '../../shared/secrets.ts';
import { askIn, resultsIn } from '../support/api-client.ts';
import { type Machine, startMachine } from '../support/machine.ts';
import { placesWith, storesOf } from '../support/stores.ts';
import { wrapped } from './secret-agents.ts';

const KEY = 'sk-test-0000';

let machine: Machine;
beforeAll(async () => {
  machine = await startMachine(new URL('./secret-agents.ts', import.meta.url), { sweepMs: 200 });
});
afterAll(() => machine?.stop());

const call = (tool: string, more: Record<string, Json> = {}) => ({ tool, input: { provider: 'x', key: KEY, ...more } });
const start = (...turns: { text?: string; calls: { tool: string; input: Record<string, Json> }[] }[]) =>
  machine.api.start('keeper', wrapped({ turns }));
const repliesIn = (records: RunRecord[]) => records.filter((record): record is Reply => record.type === 'reply');
const inputsOf = (runId: string) => machine.world.applied.filter(({ key }) => key.startsWith(runId)).map(({ input }) => input);
const sealedItems = async () => [...(await storesOf(machine)).keys()].filter((place) => place.includes(' X#'));

describe('a call with a secret', () => {
  it('runs with it, and nothing that is kept, logged, shown or told holds it', async () => {
    const runId = await start({ text: `I set ${KEY}.`, calls: [call('set_key', { account: { pin: 4711 } })] });
    await machine.api.until(runId, 'completed');
    expect(inputsOf(runId)).toEqual([{ provider: 'x', key: KEY, account: { pin: 4711 } }]);
    const records = await machine.api.records(runId);
    const [reply] = repliesIn(records);
    expect(reply).toMatchObject({
      text: `I set ${MASK}.`,
      content: [{ text: `I set ${MASK}.` }, { input: JSON.stringify({ provider: 'x', key: MASK, account: { pin: MASK } }) }],
      calls: [{ input: { provider: 'x', key: MASK, account: { pin: MASK } }, secrets: ['/key', '/account/pin'] }],
    });
    expect(resultsIn(records)).toMatchObject([{ ok: true, output: { set: MASK, said: `It is ${MASK} and ${MASK}`, provider: 'x' } }]);
    expect(await placesWith(machine, KEY)).toEqual([]);
    expect(await sealedItems()).toEqual([]);
  });

  it('is mailed, shown and asked about with a mask', async () => {
    const runId = await start({ calls: [call('set_key_asked')] });
    const run = await machine.api.until(runId, 'waiting');
    expect(askIn(await machine.api.records(runId)).questions[0]).toMatchObject({
      input: { key: MASK },
      text: expect.stringContaining(`It sets ${MASK}`),
    });
    await vi.waitFor(async () => expect(await placesWith(machine, `/a/${run.ask?.id}`)).toHaveLength(1), { timeout: 10_000 });
    const page = await (await fetch(`${machine.host.url}/inbox/${run.ask?.id}`)).text();
    expect(page).toContain(MASK);
    expect(page).not.toContain(KEY);
    expect(await sealedItems()).toHaveLength(1);
    expect(await placesWith(machine, KEY)).toEqual([]);
    await machine.api.answer(run, { decision: 'approve', comment: `I know ${KEY}` });
    await machine.api.until(runId, 'completed');
    expect(inputsOf(runId)).toEqual([{ provider: 'x', key: KEY }]);
    expect(await placesWith(machine, KEY)).toEqual([]);
    expect(await sealedItems()).toEqual([]);
  });

  it('gets it after its process was killed, and after the host was', async () => {
    const runId = await start({ calls: [call('set_key_asked', { holdMs: 600 })] });
    const run = await machine.api.until(runId, 'waiting');
    await machine.restart();
    await machine.host.recovered;
    const again = await machine.api.until(run.runId, 'waiting');
    await machine.api.answer(again, { decision: 'approve' });
    await vi.waitFor(() => expect(inputsOf(runId)).toHaveLength(1), { timeout: 10_000 });
    machine.host.kill('tool-step');
    await machine.api.until(runId, 'completed');
    expect(inputsOf(runId)).toEqual([{ provider: 'x', key: KEY, holdMs: 600 }]);
    expect(resultsIn(await machine.api.records(runId))).toMatchObject([{ ok: true, output: { set: MASK } }]);
    expect(await placesWith(machine, KEY)).toEqual([]);
  });

  it('gets it after the key of links was rotated, twice', async () => {
    const runId = await start({ calls: [call('set_key_asked')] });
    await machine.api.until(runId, 'waiting');
    for (const key of ['a', 'b']) {
      writeFileSync(join(machine.dataDir, 'link.key'), key.repeat(64));
      await machine.restart();
      await machine.host.recovered;
    }
    await machine.api.answer(await machine.api.until(runId, 'waiting'), { decision: 'approve' });
    await machine.api.until(runId, 'completed');
    expect(inputsOf(runId)).toEqual([{ provider: 'x', key: KEY }]);
  });

  it('may be edited, and the other arguments beside it too', async () => {
    const edits: { input: Json; runs: Json }[] = [
      { input: { provider: 'x', key: 'sk-other-9999' }, runs: { provider: 'x', key: 'sk-other-9999' } },
      { input: { provider: 'y', key: MASK }, runs: { provider: 'y', key: KEY } },
    ];
    for (const { input, runs } of edits) {
      const runId = await start({ calls: [call('set_key_asked')] });
      const run = await machine.api.until(runId, 'waiting');
      expect(await machine.api.answer(run, { decision: 'approve', input })).toMatchObject({ status: 200 });
      await machine.api.until(runId, 'completed');
      expect(inputsOf(runId)).toEqual([runs]);
      expect(resultsIn(await machine.api.records(runId))).toMatchObject([{ ok: true, edited: { input: { key: MASK } } }]);
      // Who comes too late leaves nothing behind that nobody would remove.
      const late = { by: 'Bob', decision: 'approve', input: { provider: 'x', key: 'sk-other-9999-late' } };
      expect(await machine.api.answer(run, late)).toMatchObject({ status: 409 });
    }
    expect([...(await placesWith(machine, KEY)), ...(await placesWith(machine, 'sk-other-9999'))]).toEqual([]);
    expect(await sealedItems()).toEqual([]);
  });

  it('that fails, or breaks in the middle, tells nothing of it', async () => {
    const runId = await start({ calls: [call('refuse_key')] }, { calls: [call('break_key')] });
    const run = await machine.api.until(runId, 'waiting');
    const records = await machine.api.records(runId);
    expect(resultsIn(records)).toMatchObject([{ ok: false, output: `The provider refused "${MASK}"` }]);
    expect(askIn(records).questions[0]?.text).toContain(`The connection was cut at "${MASK}"`);
    await machine.api.answer(run, { decision: 'done', output: `I saw ${KEY}` });
    await machine.api.until(runId, 'completed');
    expect(resultsIn(await machine.api.records(runId))[1]).toMatchObject({ ok: true, output: `I saw ${MASK}` });
    expect(await placesWith(machine, KEY)).toEqual([]);
  });

  it('whose result comes from outside keeps it, its address and what is marked of the result to itself', async () => {
    const runId = await start({ calls: [call('order_key')] });
    await machine.api.until(runId, 'waiting');
    const [url] = inputsOf(runId) as string[];
    const token = new URL(url ?? '').searchParams.get('t') ?? '';
    expect(await placesWith(machine, token)).toEqual([]);
    const body = JSON.stringify({ output: { token: 'tok-3333', said: `${KEY} is tok-3333` } });
    const post = async (text: string) => (await fetch(url ?? '', { method: 'POST', body: text })).status;
    const other = body.replaceAll('tok-3333', 'tok-4444');
    expect([await post(body), await post(body), await post(other)]).toEqual([202, 202, 409]);
    await machine.api.until(runId, 'completed');
    expect([await post(body), await post(other)]).toEqual([202, 409]);
    expect(resultsIn(await machine.api.records(runId))).toMatchObject([{ output: { token: MASK, said: `${MASK} is ${MASK}` } }]);
    expect([...(await placesWith(machine, KEY)), ...(await placesWith(machine, 'tok-3333'))]).toEqual([]);
  });

  it('keeps it to itself when its result comes to a run that was started over meanwhile', async () => {
    const before = await start({ calls: [call('order_key')] });
    await machine.api.until(before, 'waiting');
    const [url] = inputsOf(before) as string[];
    const { body: started } = await machine.api.call<{ run: { runId: string } }>('POST', `/runs/${before}/restart`, {});
    const { runId } = started.run;
    await machine.api.until(runId, 'waiting');
    const body = JSON.stringify({ output: { token: 'tok-5555', said: `${KEY} is tok-5555` } });
    expect((await fetch(url ?? '', { method: 'POST', body })).status).toBe(202);
    await machine.api.until(runId, 'completed');
    expect(resultsIn(await machine.api.records(runId))).toMatchObject([{ output: { token: MASK, said: `${MASK} is ${MASK}` } }]);
    expect([...(await placesWith(machine, KEY)), ...(await placesWith(machine, 'tok-5555'))]).toEqual([]);
  });

  const post = async (url: string | undefined, said: string) => {
    const body = JSON.stringify({ output: { token: 'tok-6666', said: `${said} is tok-6666` } });
    expect((await fetch(url ?? '', { method: 'POST', body })).status).toBe(202);
  };

  it('keeps it to itself when its result comes between the end of its run and the restart, which is given the rest', async () => {
    const before = await start({ calls: [call('order_key')] });
    await machine.api.until(before, 'waiting');
    const [url] = inputsOf(before) as string[];
    await machine.api.call('POST', `/runs/${before}/cancel`, {});
    await machine.api.until(before, 'cancelled');
    await post(url, KEY);
    const { body } = await machine.api.call<{ run: { runId: string } }>('POST', `/runs/${before}/restart`, {});
    await machine.api.until(body.run.runId, 'completed');
    expect(resultsIn(await machine.api.records(body.run.runId))).toMatchObject([{ output: { token: MASK, said: `${MASK} is ${MASK}` } }]);
    expect([...(await placesWith(machine, KEY)), ...(await placesWith(machine, 'tok-6666')), ...(await sealedItems())]).toEqual([]);
  });

  it('keeps it to itself when its result comes after somebody skipped it, and nobody can tell any more what is secret', async () => {
    const runId = await start({ calls: [call('order_key')] });
    const run = await machine.api.until(runId, 'waiting');
    const [url] = inputsOf(runId) as string[];
    await machine.api.answer(run, { decision: 'skip' });
    await machine.api.until(runId, 'completed');
    await post(url, KEY);
    await post(url, KEY);
    expect([...(await placesWith(machine, KEY)), ...(await sealedItems())]).toEqual([]);
  });

  const forkedAndAnswered = async (tool: string, decision: string) => {
    const before = await start({ calls: [call(tool)] });
    await machine.api.until(before, 'waiting');
    await machine.api.call('POST', `/runs/${before}/cancel`, {});
    await machine.api.until(before, 'cancelled');
    const { body } = await machine.api.call<{ run: { runId: string } }>('POST', `/runs/${before}/fork`, { at: 2 });
    const waiting = await machine.api.until(body.run.runId, 'waiting');
    await machine.api.answer(waiting, { decision });
    return waiting;
  };

  it('is not run by a fork with a mask in its place', async () => {
    const { runId } = await forkedAndAnswered('set_key_asked', 'approve');
    await machine.api.until(runId, 'completed');
    expect(resultsIn(await machine.api.records(runId))).toMatchObject([
      { ok: false, output: expect.stringContaining('not kept any more') },
    ]);
    expect(inputsOf(runId)).toEqual([]);
  });

  it.each(['break_key', 'break_again'])(
    'that was begun before a fork (%s) is asked about at once where its secret is gone, and never runs without it',
    async (tool) => {
      const { runId } = await forkedAndAnswered(tool, 'not-done');
      const { attempts } = await machine.api.until(runId, 'completed');
      const records = await machine.api.records(runId);
      expect(records.flatMap((record) => (record.type === 'ask' ? record.questions : []))).toMatchObject([
        { kind: 'outcome-unknown', choices: ['done', 'not-done', 'abort'] },
      ]);
      expect(attempts).toBeLessThan(3);
      expect(resultsIn(records)).toMatchObject([
        { ok: false, output: expect.stringContaining('not kept any more; make the call again'), effect: { state: 'failed' } },
      ]);
    },
  );

  it('that gives back a mask is not run: the mask is no secret', async () => {
    const runId = await start({ calls: [call('set_key', { key: MASK })] });
    await machine.api.until(runId, 'completed');
    expect(resultsIn(await machine.api.records(runId))).toMatchObject([
      { ok: false, output: expect.stringContaining('only stands for a secret') },
    ]);
    expect(inputsOf(runId)).toEqual([]);
  });

  it('is known again by a hash from which a short secret cannot be found, and two secrets are two calls', async () => {
    const pins = [1234, 1234, 4321].map((pin) => ({ calls: [{ tool: 'set_key', input: { provider: 'x', key: 'k', account: { pin } } }] }));
    const runId = await start(...pins);
    await machine.api.until(runId, 'completed');
    const hashes = repliesIn(await machine.api.records(runId)).flatMap(({ calls }) => calls.map(({ inputHash }) => inputHash));
    expect(hashes[0]).toBe(hashes[1]);
    expect(hashes[2]).not.toBe(hashes[0]);
    const { callHash } = await import('../../lambdas/lib/hash.ts');
    expect(hashes).not.toContain(callHash('set_key', { provider: 'x', key: 'k', account: { pin: 1234 } }));
  });

  it('that is not valid keeps nothing of its arguments', async () => {
    const runId = await start({ calls: [{ tool: 'set_key', input: { provider: 'x', kye: KEY } }] });
    await machine.api.until(runId, 'completed');
    expect(repliesIn(await machine.api.records(runId))[0]?.calls[0]).toMatchObject({ input: { provider: MASK, kye: MASK } });
    expect(await placesWith(machine, KEY)).toEqual([]);
  });

  it('passes it to another call of the reply, which runs with it and shows a mask too', async () => {
    const note = { tool: 'set_key', input: { provider: `beside ${KEY}`, key: 'another' } };
    const runId = await start({ calls: [call('set_key'), note] });
    await machine.api.until(runId, 'completed');
    expect(inputsOf(runId)).toEqual([
      { provider: 'x', key: KEY },
      { provider: `beside ${KEY}`, key: 'another' },
    ]);
    expect(await placesWith(machine, KEY)).toEqual([]);
  });

  it('may not be guarded by a business key that holds it', async () => {
    const runId = await start({ calls: [call('keyed')] });
    await machine.api.until(runId, 'completed');
    expect(resultsIn(await machine.api.records(runId))).toMatchObject([{ ok: false, output: expect.stringContaining('business key') }]);
    expect(await placesWith(machine, KEY)).toEqual([]);
  });
});

describe('an output with a secret', () => {
  it('is kept and told with a mask at the marked places, and wherever it says them again', async () => {
    const runId = await start({ calls: [{ tool: 'make_key', input: {} }] });
    await machine.api.until(runId, 'completed');
    const shown = { token: MASK, name: 'main', all: [{ pin: MASK }], said: `It is ${MASK}` };
    expect(resultsIn(await machine.api.records(runId))).toMatchObject([{ ok: true, output: shown }]);
    expect(await placesWith(machine, 'tok-11112222')).toEqual([]);
  });
});
