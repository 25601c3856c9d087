import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../shared/json.ts';
import { askIn, resultsIn } from '../support/api-client.ts';
import { type Machine, startMachine } from '../support/machine.ts';

let machine: Machine;
/** What the next host's functions see. */
const environment: Record<string, string> = {};
beforeAll(async () => {
  machine = await startMachine(new URL('./ask-agents.ts', import.meta.url), { sweepMs: 200, environment });
});
afterAll(() => machine?.stop());

const effectsOf = (runId: string) => machine.world.applied.filter(({ key }) => key.startsWith(runId));
const urlsOf = (runId: string) =>
  effectsOf(runId).flatMap(({ input }) => {
    const address = /http\S+/.exec(String(input))?.[0];
    return address ? [new URL(address)] : [];
  });

/** Starts a run that makes these calls, one line a turn, and waits until it waits for a result from outside. */
async function awaiting(...lines: string[][]) {
  const runId = await machine.api.start('payer', lines);
  await machine.api.until(runId, 'waiting');
  return { runId, urls: urlsOf(runId) };
}

/** Posts to a callback's address, at the host that is in service now. */
async function post(url: URL | undefined, body: Json) {
  const now = new URL(`${url?.pathname}${url?.search}`, machine.host.url);
  const response = await fetch(now, { method: 'POST', body: JSON.stringify(body) });
  return { status: response.status, body: (await response.json()) as { detail?: string } };
}

const isWaiting = async (runId: string) => (await machine.api.show(runId)).status === 'waiting';

describe('a call whose result comes later', () => {
  it('suspends the run until the result is posted, and is begun once', async () => {
    const { runId, urls } = await awaiting(['order a']);
    expect((await machine.api.show(runId)).ask?.kind).toBe('callback');
    expect(await post(urls[0], { output: { parcel: 7 } })).toMatchObject({ status: 202 });
    await machine.api.until(runId, 'completed');
    expect(resultsIn(await machine.api.records(runId))).toMatchObject([{ ok: true, output: { parcel: 7 }, effect: { state: 'done' } }]);
    expect(effectsOf(runId)).toHaveLength(1);
  });

  it('may fail, and the model is told why', async () => {
    const { runId, urls } = await awaiting(['order a']);
    await post(urls[0], { error: 'Sold out' });
    await machine.api.until(runId, 'completed');
    expect(resultsIn(await machine.api.records(runId))).toMatchObject([{ ok: false, output: 'Sold out' }]);
  });

  it('outlives the host, and the result may come while nobody is there to wake', async () => {
    const { runId, urls } = await awaiting(['order a']);
    await machine.restart();
    await post(urls[0], { output: 'arrived' });
    await machine.api.until(runId, 'completed');
    expect(resultsIn(await machine.api.records(runId))).toMatchObject([{ output: 'arrived' }]);
    expect(effectsOf(runId)).toHaveLength(1);
  });

  it('holds up no later call of its turn, and several are waited for together', async () => {
    const { runId, urls } = await awaiting(['order a', 'give b', 'order c']);
    expect(effectsOf(runId).map(({ name }) => name)).toEqual(['order', 'give', 'order']);
    await post(urls[1], { output: 'c' });
    expect(await isWaiting(runId)).toBe(true);
    await post(urls[0], { output: 'a' });
    await machine.api.until(runId, 'completed');
    expect(resultsIn(await machine.api.records(runId))).toMatchObject([{ output: 'a' }, { ok: true }, { output: 'c' }]);
  });

  it('can be given its result by hand', async () => {
    const { runId, urls } = await awaiting(['order a']);
    await machine.api.answer(await machine.api.show(runId), { by: 'Ann', decision: 'result', output: 'by phone' });
    await machine.api.until(runId, 'completed');
    expect(resultsIn(await machine.api.records(runId))).toMatchObject([{ output: 'by phone', effect: { state: 'done' } }]);
    // Kept, and of no use any more.
    expect((await post(urls[0], { output: 'too late' })).status).toBe(202);
    expect(resultsIn(await machine.api.records(runId))).toMatchObject([{ output: 'by phone' }]);
  });

  it('writes no mail: nobody needs to be asked', async () => {
    await awaiting(['order a']);
    const mails = readdirSync(join(machine.dataDir, 'outbox')).map((name) => readFileSync(join(machine.dataDir, 'outbox', name), 'utf8'));
    expect(mails.filter((mail) => mail.includes('waits for the result'))).toEqual([]);
  });
});

describe('a result that is posted before anybody waits', () => {
  it('is kept, and found by the step that would have waited', async () => {
    machine.world.onApply = async ({ name, input }) => {
      if (name !== 'order') return;
      const response = await fetch(String(input).split(' ').at(-1) as string, {
        method: 'POST',
        body: JSON.stringify({ output: 'at once' }),
      });
      expect(response.status).toBe(202);
    };
    const runId = await machine.api.start('payer', [['order a']]);
    await machine.api.until(runId, 'completed');
    delete machine.world.onApply;
    const records = await machine.api.records(runId);
    expect(resultsIn(records)).toMatchObject([{ ok: true, output: 'at once' }]);
    expect(effectsOf(runId)).toHaveLength(1);
  });
});

describe('a result that is posted while the try that began the call is cut off', () => {
  it('settles the call: nobody is asked what came of it', async () => {
    let pid = 0;
    machine.world.strike = (request) => {
      pid = request.pid;
      return false;
    };
    machine.world.onApply = async ({ name, input }) => {
      if (name !== 'order') return;
      await fetch(String(input).split(' ').at(-1) as string, { method: 'POST', body: JSON.stringify({ output: 'arrived' }) });
      process.kill(pid, 'SIGKILL');
    };
    const runId = await machine.api.start('payer', [['order a', 'give b']]);
    await machine.api.until(runId, 'completed', 'waiting');
    delete machine.world.strike;
    delete machine.world.onApply;
    const records = await machine.api.records(runId);
    expect(resultsIn(records)).toMatchObject([{ ok: true, output: 'arrived', effect: { state: 'done' } }, { ok: true }]);
    expect(effectsOf(runId).map(({ name }) => name)).toEqual(['order', 'give']);
  });
});

/** The run asks what is to become of it, since its tools are others now, and goes on with those. */
async function adopted(runId: string): Promise<void> {
  await expect.poll(async () => (await machine.api.show(runId)).ask?.kind, { timeout: 30_000 }).toBe('restart');
  const answered = await machine.api.answer(await machine.api.show(runId), { by: 'Ada', decision: 'repin' });
  expect(answered).toMatchObject({ status: 200 });
  await machine.api.until(runId, 'completed');
}

describe('a call whose tool is gone from the next deployment', () => {
  afterAll(() => {
    delete environment.GONE_TOOL;
    return machine.restart();
  });

  it('gets the result that was waited for all the same', async () => {
    const { runId, urls } = await awaiting(['order a']);
    environment.GONE_TOOL = 'order';
    await machine.restart();
    await machine.api.until(runId, 'waiting');
    await post(urls[0], { output: 'arrived' });
    await adopted(runId);
    expect(resultsIn(await machine.api.records(runId))).toMatchObject([{ ok: true, output: 'arrived', effect: { state: 'done' } }]);
  });

  it('is not run', async () => {
    const runId = await machine.api.start('payer', [['pay a']]);
    await machine.api.until(runId, 'waiting');
    environment.GONE_TOOL = 'pay';
    await machine.restart();
    await machine.api.answer(await machine.api.until(runId, 'waiting'), { decision: 'approve' });
    await adopted(runId);
    expect(resultsIn(await machine.api.records(runId))).toMatchObject([
      { ok: false, output: 'Not run: the tool pay is no longer available' },
    ]);
    expect(effectsOf(runId)).toEqual([]);
  });
});

describe('an address for a result', () => {
  it('takes one result: the same again is no second one, another is refused', async () => {
    const { runId, urls } = await awaiting(['order a']);
    const [first, same] = await Promise.all([post(urls[0], { output: 1 }), post(urls[0], { output: 1 })]);
    expect([first.status, same.status]).toEqual([202, 202]);
    expect(await post(urls[0], { output: 2 })).toMatchObject({ status: 409, body: { detail: expect.stringContaining('Another result') } });
    await machine.api.until(runId, 'completed');
    expect(resultsIn(await machine.api.records(runId))).toMatchObject([{ output: 1 }]);
  });

  it.each([
    ['a wrong secret', /t=.*/, `t=${'x'.repeat(43)}`],
    ['no secret', /\?.*/, ''],
    ['the call beside it', /-\d+\?/, '-1?'],
    ['another run', /\/c\/.{26}/, '/c/01ARZ3NDEKTSV4RRFFQ69G5FAV'],
    ['no id at all', /\/c\/[^?]*/, '/c/x'],
  ])('is no other: %s is refused', async (_, part, instead) => {
    const { runId, urls } = await awaiting(['order a']);
    const wrong = new URL((urls[0] as URL).href.replace(part, instead));
    expect(wrong.href).not.toBe(urls[0]?.href);
    expect(await post(wrong, { output: 'forged' })).toMatchObject({ status: 404 });
    expect(await isWaiting(runId)).toBe(true);
  });

  it.each([
    ['above its limit', JSON.stringify({ output: 'x'.repeat(2_399_999) }), 413, /2400000 bytes/, 'output'],
    ['of few characters and many bytes', JSON.stringify({ output: '\0'.repeat(400_001) }), 413, /2400000 bytes/, 'output'],
    ['501 levels deep', `{"output":${'['.repeat(501)}${']'.repeat(501)}}`, 400, /at most 500 levels/, 'output'],
    ['10,000 levels deep', `{"output":${'['.repeat(10_000)}${']'.repeat(10_000)}}`, 400, /at most 500 levels/, 'output'],
    ['with more digits than are kept', '{"output":{"id":[9007199254740993]}}', 400, /9007199254740993.*send it as a text/, 'output.id.0'],
    ['and an error', '{"output":1,"error":"x"}', 400, /give one of output, error and heartbeat/, 'body'],
  ])('%s is refused by its place, and the run waits on', async (_, text, status, detail, field) => {
    const { runId, urls } = await awaiting(['order a']);
    const response = await fetch(urls[0] as URL, { method: 'POST', body: text });
    expect([response.status, await response.json()]).toMatchObject([status, { field, detail: expect.stringMatching(detail) }]);
    expect(await isWaiting(runId)).toBe(true);
  });

  it('is kept as it is sent: half a character in a text and in a key, -0, every prototype, and of a key said twice the last', async () => {
    const { runId, urls } = await awaiting(['order a']);
    const text = '{"\\ud800":"a\\ud800","n":-0,"__proto__":{"x":1},"twice":1,"twice":2}';
    const posted = await fetch(urls[0] as URL, { method: 'POST', body: `{"output":${text}}` });
    expect(posted.status).toBe(202);
    await machine.api.until(runId, 'completed');
    expect(resultsIn(await machine.api.records(runId))[0]?.output).toEqual(JSON.parse(text));
  });

  it.each([[{}], [{ output: 1, error: 'x' }], [{ heartbeat: false }], [{ error: '' }], ['text'], [null]])('refuses %j', async (body) => {
    const { runId, urls } = await awaiting(['order a']);
    expect(await post(urls[0], body as Json)).toMatchObject({ status: 400 });
    expect(await isWaiting(runId)).toBe(true);
  });
});

describe('a result that does not come', () => {
  it('ends the wait as expired, and says that the outcome is open', async () => {
    const runId = await machine.api.start('payer', [['order_soon a']]);
    await machine.api.until(runId, 'completed');
    expect(resultsIn(await machine.api.records(runId))).toMatchObject([
      { ok: false, output: expect.stringContaining('No result came in time'), effect: { state: 'unknown' } },
    ]);
  });

  it('and one that comes at that very moment are one answer, and signs of life after it change nothing', async () => {
    const raced = Array.from({ length: 6 }, async (_, i) => {
      const runId = await machine.api.start('payer', [['order_soon a']]);
      await machine.api.until(runId, 'waiting', 'completed');
      const { expiresAt = 0 } = askIn(await machine.api.records(runId)).questions[0] ?? {};
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, expiresAt - Date.now() - 120 + 40 * i)));
      const [url] = urlsOf(runId);
      expect((await post(url, { output: 'arrived' })).status).toBe(202);
      await machine.api.until(runId, 'completed');
      expect((await post(url, { heartbeat: true })).status).toBe(202);
      const records = await machine.api.records(runId);
      const answers = records.flatMap((record) => (record.type === 'answer' ? record.answers : []));
      expect(answers).toHaveLength(1);
      // A result that comes right after the clock has spoken is still found by the step that goes on.
      if (answers[0]?.decision === 'result') expect(resultsIn(records)).toMatchObject([{ ok: true, output: 'arrived' }]);
      else expect(answers[0]?.decision).toBe('expired');
      expect(effectsOf(runId)).toHaveLength(1);
      expect((await machine.api.show(runId)).status).toBe('completed');
    });
    await Promise.all(raced);
  });

  it('ends the wait when the signs of life stop', async () => {
    const { runId, urls } = await awaiting(['order_alive a']);
    const beat = setInterval(() => void post(urls[0], { heartbeat: true }), 200);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(await isWaiting(runId)).toBe(true);
    clearInterval(beat);
    await machine.api.until(runId, 'completed');
    expect((await machine.api.records(runId)).find(({ type }) => type === 'answer')).toMatchObject({
      by: 'the clock',
      answers: [{ decision: 'expired', comment: 'No sign of life for 1 s' }],
    });
  });

  it('keeps its key when the agent asks again: a late result still counts', async () => {
    const { runId, urls } = await awaiting(['order_again a'], ['order_again a']);
    await machine.api.answer(await machine.api.show(runId), { by: 'Ann', decision: 'skip', comment: 'Not yet' });
    await expect.poll(async () => (await machine.api.records(runId)).filter(({ type }) => type === 'reply').length).toBe(2);
    await machine.api.until(runId, 'waiting');
    await post(urls[0], { output: 'late' });
    await machine.api.until(runId, 'completed');
    expect(resultsIn(await machine.api.records(runId))).toMatchObject([
      { ok: false, output: 'Not yet' },
      { ok: true, output: 'late' },
    ]);
    expect(new Set(effectsOf(runId).map(({ key }) => key)).size).toBe(1);
  });
});
