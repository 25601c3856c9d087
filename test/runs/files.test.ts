import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { filesIn } from '../../shared/file.ts';
import type { Json } from '../../shared/json.ts';
import { resultsIn } from '../support/api-client.ts';
import { type Machine, startMachine } from '../support/machine.ts';
import { PIXEL, pngOf } from '../support/pictures.ts';
import { placesWith } from '../support/stores.ts';

let machine: Machine;
beforeAll(async () => {
  machine = await startMachine(new URL('./file-agents.ts', import.meta.url));
});
afterAll(() => machine?.stop());
beforeEach(() => {
  machine.world.applied.length = 0;
});

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const blobsOf = (runId: string) => join(machine.dataDir, 'blobs', 'runs', runId);
const fetchFile = (runId: string, sha256: string, headers: Record<string, string> = {}, query = '') =>
  fetch(`${machine.host.url}/runs/${runId}/files/${sha256}${query}`, { headers });
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

/** Plays calls to their end, and returns the run and the results of the calls. */
async function play(...calls: [tool: string, what: string][]) {
  const runId = await machine.api.start('files', calls);
  await machine.api.until(runId, 'completed');
  return { runId, results: resultsIn(await machine.api.records(runId)) };
}

describe('a tool that returns files', () => {
  it('has them kept beside the record, at any place of its output', async () => {
    const { runId, results } = await play(['read_files', 'pictures within other values']);
    const csv = Buffer.from('a,b\n1,2\n');
    expect(results[0]).toMatchObject({
      ok: true,
      output: {
        seen: [{ picture: { $file: { sha256: hashOf(PIXEL), bytes: PIXEL.length, mediaType: 'image/png', width: 1, height: 1 } } }],
        also: { $file: { sha256: hashOf(csv), bytes: csv.length, mediaType: 'text/csv', name: 'table.csv' } },
        text: 'as it was',
      },
    });
    for (const bytes of [PIXEL, csv]) expect(await bytesOf(await fetchFile(runId, hashOf(bytes)))).toEqual(bytes);
    expect(await placesWith(machine, PIXEL.toString('base64'))).toEqual([]);
  });

  it('keeps 20 MB, which come back in pieces', async () => {
    const bytes = pngOf(800, 600, 20_000_000);
    const { runId, results } = await play(['make_files', '20 MB']);
    expect(results[0]).toMatchObject({ ok: true, output: { $file: { bytes: bytes.length } }, effect: { state: 'done' } });
    const whole = await fetchFile(runId, hashOf(bytes));
    expect([whole.status, await whole.json()]).toMatchObject([413, { detail: expect.stringContaining('Range: bytes=0-3999999') }]);
    const pieces: Buffer[] = [];
    for (let from = 0; from < bytes.length; from += (pieces.at(-1) as Buffer).length) {
      const piece = await fetchFile(runId, hashOf(bytes), { range: `bytes=${from}-` });
      expect(piece.status).toBe(206);
      pieces.push(await bytesOf(piece));
      expect(piece.headers.get('content-range')).toBe(`bytes ${from}-${from + (pieces.at(-1) as Buffer).length - 1}/${bytes.length}`);
    }
    expect(pieces).toHaveLength(5);
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
  });

  it.each([
    ['an empty file', '"report.pdf": it is empty'],
    ['a wrong media type', '"page.png": it says to be image/png, and its bytes are none'],
    ['no media type', 'without a name: its media type must be one such as'],
    ['25 MB and one byte', 'it has 25000001 bytes, and at most 25000000 can be kept'],
    ['101 files', 'an output can have at most 100 files'],
  ])('has done its effect when it returns %s, and that is known', async (what, why) => {
    const { runId, results } = await play(['make_files', what]);
    expect(results[0]).toMatchObject({ ok: false, effect: { state: 'done' } });
    const { output = null } = results[0] ?? {};
    const said = typeof output === 'string' ? output : (output as { error: string }).error;
    expect(said).toMatch(/^The tool ran, but (its output cannot be kept|of its output this cannot be kept): /);
    expect(said).toContain(why);
    expect(machine.world.applied).toHaveLength(1);
    // All that could be kept is, and nothing else.
    expect(existsSync(blobsOf(runId)) ? readdirSync(blobsOf(runId)).length : 0).toBe(filesIn(output).length);
  });

  it('cannot change them later', async () => {
    const { runId, results } = await play(['read_files', 'bytes that are reused']);
    const [file] = results.flatMap(({ output }) => filesIn(output));
    expect((await bytesOf(await fetchFile(runId, file?.sha256 ?? ''))).toString()).toBe('before');
  });

  it('keeps none that is secret', async () => {
    const { runId, results } = await play(['hidden_files', 'a picture']);
    expect(results[0]).toMatchObject({ ok: true, effect: { state: 'done' } });
    expect(JSON.stringify(results[0])).not.toContain('$file');
    expect(existsSync(blobsOf(runId))).toBe(false);
  });

  it('gives them to every run that shares its effect', async () => {
    const first = await play(['shared_once', 'a picture']);
    const second = await play(['shared_once', 'a picture']);
    expect(second.results[0]).toMatchObject({ reused: true, output: first.results[0]?.output as Json });
    rmSync(blobsOf(first.runId), { recursive: true });
    expect(await bytesOf(await fetchFile(second.runId, hashOf(PIXEL)))).toEqual(PIXEL);
  });
});

describe('GET /runs/{id}/files/{sha256}', () => {
  const hostile = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
  const sent = (bytes: Buffer, mediaType: string, more = {}) => ({ $file: { mediaType, data: bytes.toString('base64'), ...more } });
  const startWith = async (input: Json) => {
    const runId = await machine.api.start('files', input);
    await machine.api.until(runId, 'completed');
    return runId;
  };

  it('gives what could run in a browser as something to save, which runs nothing', async () => {
    const runId = await startWith({ page: sent(hostile, 'image/svg+xml', { name: 'x.svg' }) });
    const response = await fetchFile(runId, hashOf(hostile), {}, '?name=%22%0D%0Aa%3A%20b%C3%A4%2F..%2Fx.svg');
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="___a_ b__.._x.svg"; filename*=UTF-8''%22%0D%0Aa%3A%20b%C3%A4%2F..%2Fx.svg`,
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
    });
    expect(await bytesOf(response)).toEqual(hostile);
  });

  it('calls a picture by its type, whatever the request says', async () => {
    const runId = await startWith({ picture: sent(PIXEL, 'image/png') });
    const response = await fetchFile(runId, hashOf(PIXEL));
    expect(response.headers.get('content-type')).toBe('image/png');
    expect(response.headers.get('content-disposition')).toContain(`attachment; filename="${hashOf(PIXEL).slice(0, 12)}.png"`);
  });

  it('answers ranges', async () => {
    const runId = await startWith({ note: sent(Buffer.from('0123456789'), 'text/plain') });
    const at = (range: string) => fetchFile(runId, hashOf(Buffer.from('0123456789')), { range });
    for (const [range, text] of [
      ['bytes=2-4', '234'],
      ['bytes=8-99', '89'],
      ['bytes=-3', '789'],
      ['bytes=-99', '0123456789'],
    ] as const) {
      const response = await at(range);
      expect([response.status, await response.text()]).toEqual([206, text]);
    }
    for (const range of ['bytes=1-2,4-5', 'lines=1-2', 'bytes=-']) expect((await at(range)).status).toBe(200);
    expect((await at('bytes=10-')).status).toBe(416);
  });

  it('knows no other file, no other run, and no other name', async () => {
    const runId = await startWith({ picture: sent(PIXEL, 'image/png') });
    for (const name of ['0'.repeat(64), hashOf(PIXEL).toUpperCase(), '..%2F..%2Fx', 'x'])
      expect([name, (await fetchFile(runId, name)).status]).toEqual([name, 404]);
    expect((await fetchFile('01J00000000000000000000000', hashOf(PIXEL))).status).toBe(404);
  });

  it('gives no bytes that are not those that were kept', async () => {
    const bytes = Buffer.from('the very first bytes');
    const runId = await startWith({ note: sent(bytes, 'text/plain') });
    const [name = ''] = readdirSync(blobsOf(runId));
    expect(readFileSync(join(blobsOf(runId), name))).toEqual(bytes);
    writeFileSync(join(blobsOf(runId), name), 'others');
    expect((await fetchFile(runId, hashOf(bytes))).status).toBe(404);
  });
});

describe('files that come with the input of a run', () => {
  const picture = { mediaType: 'image/png', name: 'a.png', data: PIXEL.toString('base64') };
  const ref = { sha256: hashOf(PIXEL), bytes: PIXEL.length, mediaType: 'image/png', name: 'a.png', width: 1, height: 1 };

  it('are kept before its task, which only names them', async () => {
    const runId = await machine.api.start('files', { deep: [{ $file: picture }], said: 'text' });
    await machine.api.until(runId, 'completed');
    expect((await machine.api.records(runId))[0]).toMatchObject({ type: 'task', input: { deep: [{ $file: ref }], said: 'text' } });
    expect(await placesWith(machine, picture.data)).toEqual([]);
  });

  it('are those of every run that starts it over, or branches off from it', async () => {
    const runId = await machine.api.start('files', { $file: picture });
    await machine.api.until(runId, 'completed');
    const branch = async (of: string, how: string, body: Json) => {
      const { body: made } = await machine.api.call<{ run: { runId: string } }>('POST', `/runs/${of}/${how}`, body);
      await machine.api.until(made.run.runId, 'completed');
      return made.run.runId;
    };
    const restarted = await branch(runId, 'restart', {});
    const forked = await branch(restarted, 'fork', { at: 1, message: 'again' });
    for (const id of [restarted, forked]) {
      expect((await machine.api.records(id))[0]).toMatchObject({ type: 'task', input: { $file: ref } });
      expect(await bytesOf(await fetchFile(id, ref.sha256))).toEqual(PIXEL);
    }
  });

  it('are compared by what they hold when a request is repeated', async () => {
    const send = (file: Json) =>
      machine.api.call<{ runId: string }>(
        'POST',
        '/runs',
        { agent: 'files', input: { $file: file } },
        { 'idempotency-key': 'with a file' },
      );
    const first = await send(picture);
    expect(first.status).toBe(202);
    expect((await send({ ...picture, sha256: ref.sha256 })).body.runId).toBe(first.body.runId);
    const other = await send({ ...picture, data: pngOf(1, 1).toString('base64') });
    expect([other.status, other.body]).toMatchObject([422, { title: 'Key already used' }]);
  });

  it.each([
    ['a hash that lies', { ...picture, sha256: '0'.repeat(64) }, 400, 'input.a.0.$file.sha256'],
    ['a size that lies', { ...picture, bytes: 1 }, 400, 'input.a.0.$file.bytes'],
    ['no bytes', { ...picture, data: '' }, 400, 'input.a.0.$file'],
    ['a hash alone', { mediaType: 'image/png', sha256: ref.sha256, bytes: ref.bytes }, 400, 'input.a.0.$file.data'],
    ['what is no base64', { ...picture, data: 'aGk' }, 400, 'input.a.0.$file.data'],
    ['another type than it has', { ...picture, mediaType: 'image/gif' }, 400, 'input.a.0.$file'],
    ['a path for a name', { ...picture, name: '../a' }, 400, 'input.a.0.$file'],
    ['a text', 'x', 400, 'input.a.0.$file'],
  ])('are refused with %s, by their place', async (_, file, status, field) => {
    const answer = await machine.api.call('POST', '/runs', { agent: 'files', input: { a: [{ $file: file }] } });
    expect(answer).toMatchObject({ status, body: { field } });
  });

  it('are refused when the request is larger than the service takes', async () => {
    const data = Buffer.alloc(4_200_000).toString('base64');
    const answer = await machine.api.call('POST', '/runs', { agent: 'files', input: { $file: { mediaType: 'a/b', data } } });
    expect(answer).toMatchObject({ status: 413, body: { detail: expect.stringContaining('5500000 bytes') } });
  });

  it('can have 4 MB', async () => {
    const data = Buffer.alloc(4_000_000, 'x').toString('base64');
    const runId = await machine.api.start('files', { $file: { mediaType: 'text/plain', data } });
    await machine.api.until(runId, 'completed');
  });
});

describe('files that come with a message', () => {
  const picture = { mediaType: 'image/png', data: PIXEL.toString('base64') };
  const say = (runId: string, body: Json, key?: string) =>
    machine.api.call('POST', `/runs/${runId}/messages`, body, key ? { 'idempotency-key': key } : {});

  it('stand beside its text in the log', async () => {
    const { runId } = await play();
    const first = await say(runId, { text: 'Look at this', files: [picture] }, 'once');
    expect(first.status).toBe(202);
    await expect
      .poll(async () => (await machine.api.records(runId)).find(({ type }) => type === 'user'))
      .toMatchObject({
        messages: [{ text: 'Look at this', files: [{ sha256: hashOf(PIXEL), bytes: PIXEL.length, mediaType: 'image/png' }] }],
      });
    expect(await bytesOf(await fetchFile(runId, hashOf(PIXEL)))).toEqual(PIXEL);
    expect(await say(runId, { text: 'Look at this', files: [picture] }, 'once')).toEqual(first);
    expect((await say(runId, { text: 'Look at this' }, 'once')).status).toBe(422);
    expect(await placesWith(machine, picture.data)).toEqual([]);
  });

  it('are those of the run that starts it over: told of, named by its first record, and read', async () => {
    const { runId } = await play();
    await say(runId, { text: 'Look at this', files: [{ ...picture, name: 'late.png' }] });
    const { body } = await machine.api.call<{ run: { runId: string } }>('POST', `/runs/${runId}/restart`, {});
    const again = body.run.runId;
    await machine.api.until(again, 'completed');
    expect((await machine.api.records(again))[0]).toMatchObject({
      facts: expect.stringContaining(`- Look at this (with late.png, image/png, 1 x 1 pixels, ${PIXEL.length} bytes)`),
      files: [{ sha256: hashOf(PIXEL), name: 'late.png' }],
    });
    expect(await bytesOf(await fetchFile(again, hashOf(PIXEL)))).toEqual(PIXEL);
  });

  it('are refused by their place', async () => {
    const { runId } = await play();
    expect(await say(runId, { text: 'x', files: [picture, { ...picture, sha256: '0'.repeat(64) }] })).toMatchObject({
      status: 400,
      body: { field: 'files.1.sha256' },
    });
  });
});
