import { SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DUMMY_CREDENTIALS, MACHINE_ARN, REGION } from '../../infra/local/names.ts';
import type { RunSummary } from '../../shared/api.ts';
import { segmentInput, segmentName } from '../../shared/machine.ts';
import { resultsIn } from '../support/api-client.ts';
import { type FailingProxy, failingProxy } from '../support/failing-proxy.ts';
import { type Machine, startMachine } from '../support/machine.ts';
import { placesWith, storesOf } from '../support/stores.ts';

const ADA = 'ada@example.test';
const AGENTS = new URL('./erase-agents.ts', import.meta.url);

let machine: Machine;
let proxy: FailingProxy;
beforeAll(async () => {
  proxy = await failingProxy(() => machine.host.endpoints.store);
  machine = await startMachine(AGENTS, { sweepMs: 200, environment: { AWS_ENDPOINT_URL_DYNAMODB: proxy.url } });
});
afterAll(async () => {
  await machine?.stop();
  proxy?.close();
});

const start = (tools: string[], key?: string, agent = 'giver') => machine.api.start(agent, { who: ADA, tools }, key);
type Erased = { run: RunSummary; done: boolean; title: string; detail: string };
const erase = (runId: string, body: object = {}) => machine.api.call<Erased>('DELETE', `/runs/${runId}`, { by: 'Eve', ...body });
const yes = async (run: RunSummary) => expect((await machine.api.answer(run, { decision: 'approve' })).status).toBe(200);

/** All that is kept, but for what every sweep writes of its own. */
async function kept(): Promise<Map<string, string>> {
  return new Map([...(await storesOf(machine))].filter(([place]) => !/^(logs|execution|Runs REMOVALS)/.test(place)));
}

async function mailedLink(runId: string): Promise<URL> {
  const find = async () => {
    const mails = [...(await storesOf(machine))].filter(([place, text]) => place.startsWith('outbox') && text.includes(`/a/${runId}`));
    return new URL(/https?:\/\/[^\s"\\<]+\/a\/[^\s"\\<]+/.exec(mails[0]?.[1] ?? '')?.[0] ?? '');
  };
  return vi.waitFor(find, { timeout: 20_000 });
}

describe('erasing a run', () => {
  it('removes all that was kept of it anywhere, says what, and can be done again after it failed in the middle', async () => {
    const runId = await start(['look_up', 'give_asked', 'give', 'refuse', 'give_keyed'], 'the key of the run');
    await yes(await machine.api.until(runId, 'waiting'));
    await mailedLink(runId);
    await machine.api.until(runId, 'completed');
    await machine.api.call('POST', `/runs/${runId}/messages`, { text: `Thank ${ADA}` });
    await vi.waitFor(
      async () => expect((await machine.api.records(runId)).at(-1)).toMatchObject({ type: 'end', text: expect.stringContaining('Thank') }),
      { timeout: 10_000 },
    );
    const places = await placesWith(machine, ADA);
    for (const part of [' R#', ' E#', 'KEY#']) expect(places.join('\n')).toContain(part);
    expect(places.length + [...(await storesOf(machine)).keys()].filter((place) => place.startsWith('blobs')).length).toBeGreaterThan(10);

    const mailsOf = async () => (await placesWith(machine, runId)).filter((place) => place.startsWith('outbox'));
    expect(await mailsOf()).toHaveLength(1);
    proxy.fail('erase-run', 9);
    expect((await erase(runId)).status).toBe(500);
    const { status, body } = await erase(runId);
    expect([status, body.done]).toEqual([200, true]);
    expect([...(await placesWith(machine, ADA)), ...(await mailsOf())]).toEqual([]);
    expect([...(await storesOf(machine)).keys()].filter((place) => place.startsWith(`blobs/runs/${runId}`))).toEqual([]);
    expect(body.run).toMatchObject({
      status: 'erased',
      reason: 'erased by Eve',
      erased: { by: 'Eve', at: expect.any(Number), doneAt: expect.any(Number) },
    });
    expect(body.run.erased?.removed).toMatchObject({
      records: expect.any(Number),
      'ledger entries': expect.any(Number),
      notices: 1,
      waits: 1,
      blobs: expect.any(Number),
      'guards left': 2,
    });
    expect(await machine.api.show(runId)).toMatchObject({ status: 'erased', erased: { by: 'Eve' } });
    expect((await machine.api.call<{ runs: RunSummary[] }>('GET', '/runs')).body.runs.map((run) => run.runId)).not.toContain(runId);
    expect(await erase(runId)).toMatchObject({ status: 200, body: { done: true } });
  });

  it('leaves what guards against repeats: the key that started it starts no other run, and a business key is met', async () => {
    const runId = await start(['give_keyed'], 'a key that is used again');
    await machine.api.until(runId, 'completed');
    const before = machine.world.applied.length;
    await erase(runId);
    const again = await machine.api.call<{ detail: string }>(
      'POST',
      '/runs',
      { agent: 'giver', input: { who: ADA, tools: ['give_keyed'] } },
      { 'idempotency-key': 'a key that is used again' },
    );
    expect([again.status, again.body.detail]).toEqual([410, expect.stringContaining('was erased')]);
    const other = await start(['give_keyed']);
    await machine.api.until(other, 'completed');
    expect(resultsIn(await machine.api.records(other))).toMatchObject([
      { ok: true, reused: true, output: expect.stringContaining('erased') },
    ]);
    expect(machine.world.applied).toHaveLength(before);
    await erase(other);
  });

  it('is refused while it is not over, and cancels it when told to', async () => {
    const runId = await start(['give_asked']);
    await machine.api.until(runId, 'waiting');
    expect(await erase(runId)).toMatchObject({
      status: 409,
      body: { title: 'Run is not over', detail: expect.stringContaining('cancel') },
    });
    expect(await machine.api.show(runId)).toMatchObject({ status: 'waiting' });
    const link = await mailedLink(runId);
    expect(await erase(runId, { cancel: true })).toMatchObject({ status: 200, body: { done: true, run: { status: 'erased' } } });
    expect(await placesWith(machine, ADA)).toEqual([]);

    const before = await kept();
    const shown = await fetch(link);
    const page = await shown.text();
    expect([shown.status, page]).toEqual([404, expect.not.stringContaining(runId)]);
    const body = new URLSearchParams({
      p: link.searchParams.get('p') ?? '',
      t: link.searchParams.get('t') ?? '',
      nonce: 'x',
      'decision.0': 'approve',
    });
    expect((await fetch(new URL(link.pathname, link), { method: 'POST', body, redirect: 'manual' })).status).toBe(404);
    expect(await kept()).toEqual(before);
  });

  it('lets nothing be written for it afterwards: no answer, message, result, sweep, or step that comes late', async () => {
    const runId = await start(['order']);
    const run = await machine.api.until(runId, 'waiting');
    const posted =
      String(machine.world.applied.find(({ key }) => key.startsWith(runId))?.input)
        .split(' ')
        .at(-1) ?? '';
    await erase(runId, { cancel: true });
    const before = await kept();
    const answers = [
      await machine.api.answer(run, { decision: 'result', output: ADA }),
      await machine.api.call('POST', `/runs/${runId}/messages`, { text: ADA }),
      await machine.api.call('POST', `/runs/${runId}/resume`, {}),
      await machine.api.call('POST', `/runs/${runId}/cancel`, {}),
      await machine.api.call('POST', `/asks/${run.ask?.id}/notices`, { to: ADA }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 409, 409, 409, 404]);
    expect((await fetch(posted, { method: 'POST', body: JSON.stringify({ output: ADA }) })).status).toBe(404);
    const states = new SFNClient({ endpoint: machine.host.endpoints.stepFunctions, region: REGION, credentials: DUMMY_CREDENTIALS });
    for (const [segment, cursor] of [
      [7, 0],
      [8, 3],
      [9, 99],
    ] as const) {
      const name = segmentName(runId, segment);
      await states.send(
        new StartExecutionCommand({
          stateMachineArn: MACHINE_ARN,
          name,
          input: JSON.stringify({ ...segmentInput(runId, segment), cursor }),
        }),
      );
      const ended = () => expect(machine.host.info().executions.find((each) => each.name === name)).toMatchObject({ status: 'SUCCEEDED' });
      await vi.waitFor(ended, { timeout: 20_000 });
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await kept()).toEqual(before);
    expect(await placesWith(machine, ADA)).toEqual([]);
  });

  it('needs nothing of its agent, which may be gone from the code', async () => {
    const [over, waiting] = [await start(['give_keyed', 'look_up']), await start(['give_asked'])];
    await machine.api.until(over, 'completed');
    await machine.api.until(waiting, 'waiting');
    await machine.host.stop();
    const other = await startMachine(new URL('./other-agents.ts', import.meta.url), { dataDir: machine.dataDir, sweepMs: 200 });
    await other.host.recovered;
    for (const runId of [over, waiting]) {
      const done = async () => expect((await other.api.call<Erased>('DELETE', `/runs/${runId}`, { cancel: true })).body.done).toBe(true);
      await vi.waitFor(done, { timeout: 30_000, interval: 500 });
    }
    expect(await placesWith({ ...machine, host: other.host }, ADA)).toEqual([]);
    await other.host.stop();
    await other.world.close();
    await machine.restart();
  });

  it('is refused while runs that came of it are kept, with their names', async () => {
    const runId = await start(['give']);
    await machine.api.until(runId, 'completed');
    const { body } = await machine.api.call<{ run: RunSummary }>('POST', `/runs/${runId}/fork`, { at: 1 });
    await machine.api.until(body.run.runId, 'completed');
    expect(await erase(runId)).toMatchObject({
      status: 409,
      body: { title: 'Run is shared', detail: expect.stringContaining(body.run.runId) },
    });
    expect(await erase(body.run.runId)).toMatchObject({ status: 200 });
    expect(await erase(runId)).toMatchObject({ status: 200, body: { done: true } });
    expect(await placesWith(machine, ADA)).toEqual([]);
  });

  it('tells of a run that was started over that its claim went, and counts no record for it', async () => {
    const runId = await start(['give_asked']);
    await machine.api.until(runId, 'waiting');
    const { body } = await machine.api.call<{ run: RunSummary }>('POST', `/runs/${runId}/restart`, {});
    const after = body.run.runId;
    await machine.api.until(after, 'waiting');
    const records = (await machine.api.records(runId)).length;
    expect(await erase(after, { cancel: true })).toMatchObject({ status: 200, body: { done: true } });
    const { body: told } = await erase(runId);
    expect(told.run.erased?.removed).toMatchObject({ records, 'claims of restarts': 1 });
    expect(await placesWith(machine, ADA)).toEqual([]);
  });
});
