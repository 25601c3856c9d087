import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listRecordsResponse } from '../../shared/api.ts';
import { MAX_OUTPUT_BYTES } from '../../shared/fit-results.ts';
import type { RunRecord } from '../../shared/record.ts';
import { holdfast } from '../cli/command.ts';
import { type Machine, startMachine } from '../support/machine.ts';
import type { Sizes } from './large-agents.ts';
import { largeText } from './large-text.ts';

let machine: Machine;
beforeAll(async () => {
  machine = await startMachine(new URL('large-agents.ts', import.meta.url));
});
afterAll(() => machine?.stop());

async function played(sizes: Sizes, status: 'completed' | 'waiting' = 'completed'): Promise<string> {
  const runId = await machine.api.start('large', sizes as never);
  await machine.api.until(runId, status);
  return runId;
}

/** A record as it is stored, put together from its pieces. */
async function whole<R extends RunRecord>(runId: string, seq: number): Promise<R> {
  let text = '';
  for (let from: number | undefined = 0; from !== undefined; ) {
    const { body }: { body: { text: string; next?: number } } = await machine.api.call('GET', `/runs/${runId}/records/${seq}?from=${from}`);
    text += body.text;
    from = body.next;
  }
  return JSON.parse(text) as R;
}

const applied = (runId: string) => machine.world.applied.filter(({ key }) => key.startsWith(runId)).length;

const NOT_RUN =
  /^Not run: the outputs of the calls before it leave room for 2499\d{4} bytes more in their record.*call it again by itself$/;

describe('a result', () => {
  it('of 24.9 million bytes is kept byte for byte, and shown in part with its true size', async () => {
    const characters = MAX_OUTPUT_BYTES - 100;
    const runId = await played({ outputs: [characters, 1_000, 1_001] });
    const { results } = await whole<Extract<RunRecord, { type: 'results' }>>(runId, 3);
    expect(results[0]?.output).toSatisfy(({ text }) => text === largeText(characters));
    const page = listRecordsResponse.parse((await machine.api.call('GET', `/runs/${runId}/records`)).body);
    expect(page.records.map(({ type }) => type)).toEqual(['task', 'reply', 'results', 'reply', 'end']);
    expect(page.records[2]?.clipped).toEqual([{ path: 'results.0.output', bytes: characters + 11 }]);
    // Beside it there is room for one more such output once, and not twice: the third call is not begun.
    expect(results[1]).toMatchObject({ ok: true, effect: { state: 'done' } });
    expect(results[2]).toEqual({ index: 2, ok: false, attempts: 1, output: expect.stringMatching(NOT_RUN) });
    expect(applied(runId)).toBe(2);
  });

  it('above the limit is not kept, and says that its effect is done', async () => {
    const runId = await played({ outputs: [MAX_OUTPUT_BYTES] });
    expect(await whole(runId, 3)).toMatchObject({
      results: [
        {
          ok: false,
          effect: { state: 'done' },
          output: expect.stringMatching(/^The tool ran, but its output cannot be kept: it has 25000011 bytes/),
        },
      ],
    });
    expect(applied(runId)).toBe(1);
  });
});

describe('the state of an execution', () => {
  it('does not grow with what its run holds', async () => {
    const runId = await played({ outputs: [5_000_000] });
    const state = machine.host.info().executions.find(({ name }) => name.startsWith(runId));
    expect(JSON.stringify(state).length).toBeLessThan(20_000);
  });
});

describe('a reply, an argument and an input', () => {
  it('of millions of characters are kept as they are, and the run goes on', async () => {
    const runId = await played({ reply: 6_000_000 });
    const record = await whole<Extract<RunRecord, { type: 'reply' }>>(runId, 2);
    expect(record.text === largeText(6_000_000)).toBe(true);
    const end = await whole<Extract<RunRecord, { type: 'end' }>>(runId, 3);
    expect(end.text === record.text).toBe(true);
  });

  it('of which consent is asked runs with exactly what was consented to', async () => {
    const runId = await played({ argument: 4_000_000 }, 'waiting');
    const run = await machine.api.show(runId);
    const page = await fetch(`${machine.host.url}/inbox/${run.ask?.id}`);
    expect(page.status).toBe(200);
    expect((await page.text()).length).toBeLessThan(5_000_000);
    expect((await machine.api.call<{ asks: object[] }>('GET', '/asks')).body.asks).toHaveLength(1);
    await machine.api.answer(run, { by: 'Ada', decision: 'approve' });
    await machine.api.until(runId, 'completed');
    expect(machine.world.applied.find(({ key }) => key.startsWith(runId))).toMatchObject({ name: 'take', input: '4000000' });
  });

  it('up to what a request may hold are taken, and more is refused with its limit', async () => {
    const padding = largeText(2_399_900);
    const runId = await played({ padding });
    expect((await whole<Extract<RunRecord, { type: 'task' }>>(runId, 1)).input).toEqual({ padding });
    const more = await machine.api.call('POST', '/runs', { agent: 'large', input: { padding: `${padding}${'x'.repeat(200)}` } });
    expect(more).toMatchObject({ status: 413, body: { field: 'input', detail: expect.stringContaining('2400000') } });
  });
});

describe('GET /runs/{id}/records/{seq}', () => {
  it('says that there is no such record, and no such place in it', async () => {
    const runId = await played({});
    for (const seq of ['9', '0', '-1', '1.5', 'x'])
      expect((await machine.api.call('GET', `/runs/${runId}/records/${seq}`)).status).toBe(404);
    expect(await machine.api.call('GET', `/runs/${runId}/records/1?from=100000`)).toMatchObject({ status: 400, body: { field: 'from' } });
  });
});

describe('holdfast show', () => {
  it('says what is shown in part, and writes a record whole', async () => {
    const runId = await played({ outputs: [3_000_000] });
    const shown = await holdfast(machine.host.url, ['show', runId]);
    expect(shown.out).toContain('results.0.output: 3000011 bytes, shown in part');
    expect(shown.out).toContain(`whole: holdfast show ${runId} --record 3`);
    const written = await holdfast(machine.host.url, ['show', runId, '--record', '3']);
    expect(JSON.parse(written.out)).toEqual(await whole(runId, 3));
    const { records } = JSON.parse((await holdfast(machine.host.url, ['show', runId, '--json'])).out);
    expect(records[2]).toEqual(await whole(runId, 3));
    expect(await holdfast(machine.host.url, ['show', runId, '--record', 'x'])).toMatchObject({ code: 2 });
    expect(await holdfast(machine.host.url, ['show', runId, '--record', '99'])).toMatchObject({ code: 1 });
  });
});

describe('blobs', () => {
  it('lie under the run that they belong to, and small runs have none', async () => {
    const [large, small] = [await played({ outputs: [400_000] }), await played({})];
    const runs = readdirSync(join(machine.dataDir, 'blobs', 'runs'));
    expect(runs).toContain(large);
    expect(runs).not.toContain(small);
  });
});
