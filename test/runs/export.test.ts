import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PinResponse } from '../../shared/api.ts';
import { holdfast as command } from '../cli/command.ts';
import { type Machine, startMachine } from '../support/machine.ts';
import { PIXEL } from '../support/pictures.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-export-'));
let here: Machine;
let there: Machine;
beforeAll(async () => {
  here = await startMachine(new URL('./erase-agents.ts', import.meta.url));
  there = await startMachine(new URL('./other-agents.ts', import.meta.url));
});
afterAll(async () => {
  await here?.stop();
  await there?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const holdfast = (machine: Machine, ...args: string[]) => command(machine.host.url, args);
const withoutHeader = (file: string) => readFileSync(file, 'utf8').split('\n').slice(1);

/** A run that is over, with a body that lies apart, a file, effects, and an ask. */
async function exported(name: string, tools: string[]): Promise<{ runId: string; file: string }> {
  const runId = await here.api.start('giver', { who: 'ada@example.test', tools });
  if (tools.includes('give_asked')) await here.api.answer(await here.api.until(runId, 'waiting'), { decision: 'approve' });
  await here.api.until(runId, 'completed');
  const file = join(folder, name);
  expect(await holdfast(here, 'export', runId, '--file', file)).toMatchObject({ code: 0, err: '' });
  return { runId, file };
}

/** Exports a run with an unread message, and reads it back. */
async function expectUnread(runId: string, picture: { data: string }) {
  const [file, again] = [join(folder, 'unread.jsonl'), join(folder, 'unread-again.jsonl')];
  expect(await holdfast(here, 'export', runId, '--file', file)).toMatchObject({ code: 0 });
  const lines = withoutHeader(file).flatMap((line) => (line ? [JSON.parse(line) as { kind: string; message?: object }] : []));
  expect(lines.find(({ kind }) => kind === 'message')?.message).toMatchObject({ text: 'Look', files: [{ name: 'a.png' }] });
  expect(lines.find(({ kind }) => kind === 'file')).toMatchObject({ base64: picture.data });
  expect(await holdfast(there, 'import', file)).toMatchObject({ code: 0 });
  expect(await there.api.show(runId)).toMatchObject({ status: 'imported', reason: expect.stringContaining('it was waiting') });
  expect(await holdfast(there, 'export', runId, '--file', again)).toMatchObject({ code: 0 });
  expect(withoutHeader(again)).toEqual(withoutHeader(file));
}

describe('an exported run', () => {
  it('is read back by another deployment, to be looked at, and exported again is the same but for its first line', async () => {
    const { runId, file } = await exported('whole.jsonl', ['look_up', 'draw', 'give_asked', 'give', 'refuse']);
    const kinds = withoutHeader(file).flatMap((line) => (line ? [(JSON.parse(line) as { kind: string }).kind] : []));
    expect(new Set(kinds)).toEqual(new Set(['meta', 'record', 'effect', 'pin', 'file', 'end']));
    for (let times = 0; times < 2; times++) expect(await holdfast(there, 'import', file, '--by', 'Bob')).toMatchObject({ code: 0 });
    expect(await there.api.show(runId)).toMatchObject({
      status: 'imported',
      imported: { by: 'Bob' },
      reason: expect.stringContaining('completed'),
    });
    expect(await there.api.records(runId)).toEqual(await here.api.records(runId));
    const again = join(folder, 'again.jsonl');
    expect(await holdfast(there, 'export', runId, '--file', again)).toMatchObject({ code: 0 });
    expect(withoutHeader(again)).toEqual(withoutHeader(file));
    expect((await holdfast(there, 'show', runId)).out).toContain('imported');
    const pinOf = async (machine: Machine) => (await machine.api.call<PinResponse>('GET', `/runs/${runId}/pin`)).body.pinned;
    expect(await pinOf(there)).toMatchObject({ instructions: 'Give.' });
    expect(await pinOf(there)).toEqual(await pinOf(here));

    const answers = ['messages', 'cancel', 'resume', 'restart', 'summaries/3/discard', 'summaries/3/remake'].map((verb) =>
      there.api.call('POST', `/runs/${runId}/${verb}`, verb === 'messages' ? { text: 'go on' } : {}),
    );
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(6).fill(409));
    expect(await there.api.show(runId)).toMatchObject({ status: 'imported' });
    expect((await there.api.call('DELETE', `/runs/${runId}`, {})).status).toBe(200);
  });

  it('is not read back over the same run with another summary', async () => {
    const { runId, file } = await exported('summed-up.jsonl', ['look_up']);
    const [meta = ''] = withoutHeader(file);
    const spent = { turns: 0, inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const counts = { ms: 1, attempts: 1, tokens: 1, replacedTokens: 9, usage: { inputTokens: 1, outputTokens: 1 }, spent };
    const summary = { v: 1, seq: 3, version: 1, at: 1, after: 1, text: 'One item.', facts: '', model: 'scripted/giver', ...counts };
    const send = (more: object) =>
      there.api.call('POST', `/runs/${runId}/import`, {
        lines: [meta, JSON.stringify({ kind: 'summary', summary: { ...summary, ...more } })],
      });
    expect((await send({})).status).toBe(200);
    expect((await send({})).status).toBe(200);
    expect(await send({ text: 'Two items.' })).toMatchObject({
      status: 409,
      body: { detail: 'Another summary up to record 3 of this run is here already' },
    });
  });

  it('holds messages that it had not read, with their files, and is the same again', async () => {
    const runId = await here.api.start('giver', { who: 'ada@example.test', tools: ['give_asked'] });
    await here.api.until(runId, 'waiting');
    const picture = { mediaType: 'image/png', name: 'a.png', data: PIXEL.toString('base64') };
    await here.api.call('POST', `/runs/${runId}/messages`, { text: 'Look', files: [picture] });
    await expectUnread(runId, picture);
  });

  it('holds the files of messages that it has read', async () => {
    const runId = await here.api.start('giver', { who: 'ada@example.test', tools: [] });
    await here.api.until(runId, 'completed');
    const data = Buffer.from('%PDF-1.4 read').toString('base64');
    await here.api.call('POST', `/runs/${runId}/messages`, {
      text: 'Read',
      files: [{ mediaType: 'application/pdf', name: 'a.pdf', data }],
    });
    await expect.poll(async () => (await here.api.records(runId)).length, { timeout: 20_000 }).toBeGreaterThan(4);
    const file = join(folder, 'read.jsonl');
    expect(await holdfast(here, 'export', runId, '--file', file)).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'utf8')).toContain(data);
  });

  it('that was read back in part says so, is not exported, and is whole once it is read back again', async () => {
    const { runId, file } = await exported('part.jsonl', ['give']);
    const lines = withoutHeader(file).slice(0, 3);
    expect((await there.api.call('POST', `/runs/${runId}/import`, { lines, by: 'Bob' })).status).toBe(200);
    expect(await there.api.show(runId)).toMatchObject({ status: 'imported', reason: expect.stringContaining('not all of it is here') });
    expect(await holdfast(there, 'export', runId)).toMatchObject({ code: 1, err: expect.stringContaining('import it again') });
    expect(await holdfast(there, 'import', file)).toMatchObject({ code: 0 });
    expect(await there.api.show(runId)).toMatchObject({ reason: expect.stringContaining('it was completed') });
  });

  it('of the format before, without pins, is read back too', async () => {
    const { runId, file } = await exported('version-1.jsonl', ['give']);
    const [header = '', ...rest] = readFileSync(file, 'utf8').trimEnd().split('\n');
    const before = rest.slice(0, -1).filter((line) => !line.startsWith('{"kind":"pin"'));
    const sha256 = createHash('sha256')
      .update(before.map((line) => `${line}\n`).join(''))
      .digest('hex');
    const end = JSON.stringify({ kind: 'end', lines: before.length, sha256 });
    writeFileSync(file, [header.replace('"version":2', '"version":1'), ...before, end, ''].join('\n'));
    expect(await holdfast(there, 'import', file)).toMatchObject({ code: 0, err: '' });
    expect(await there.api.records(runId)).toEqual(await here.api.records(runId));
  });

  it('is not read back over a run that is there, and not after that was erased', async () => {
    const { runId, file } = await exported('here.jsonl', ['give']);
    expect(await holdfast(here, 'import', file)).toMatchObject({ code: 1, err: expect.stringContaining('is here already') });
    await here.api.call('DELETE', `/runs/${runId}`, {});
    expect(await holdfast(here, 'import', file)).toMatchObject({ code: 1, err: expect.stringContaining('is here already, erased') });
    expect(await holdfast(here, 'export', runId)).toMatchObject({ code: 1, out: '', err: expect.stringContaining('was erased') });
    const before = readFileSync(file, 'utf8');
    expect((await holdfast(here, 'export', runId, '--file', file)).code).toBe(1);
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  it('is written to no folder that is not there, and the command says so', async () => {
    const { runId } = await exported('there.jsonl', ['give']);
    const nowhere = join(folder, 'no', 'such.jsonl');
    expect(await holdfast(here, 'export', runId, '--file', nowhere)).toMatchObject({ code: 2, err: expect.stringContaining('ENOENT') });
  });

  it('is refused with a reason when it was cut off, changed, is of a newer format, or is none', async () => {
    const { runId, file } = await exported('whole-2.jsonl', ['give']);
    const text = readFileSync(file, 'utf8');
    const lines = text.trimEnd().split('\n');
    const wrong: Record<string, [string, string]> = {
      'cut off': [`${lines.slice(0, -1).join('\n')}\n`, 'it was cut off'],
      'cut off in a line': [text.slice(0, -40), 'it was cut off'],
      changed: [text.replaceAll('ada@example.test', 'eve@example.test'), 'it was changed'],
      'without a line': [lines.toSpliced(3, 1).join('\n'), 'it was changed'],
      newer: [text.replace('"version":2', '"version":3'), 'newer than 2'],
      none: ['{"a":1}\n', 'it is no exported run'],
      empty: ['', 'it is empty'],
    };
    for (const [name, [content, why]] of Object.entries(wrong)) {
      const damaged = join(folder, 'damaged.jsonl');
      writeFileSync(damaged, content);
      expect([name, await holdfast(there, 'import', damaged)]).toEqual([
        name,
        expect.objectContaining({ code: 2, err: expect.stringContaining(why) }),
      ]);
    }
    expect((await there.api.call('GET', `/runs/${runId}`)).status).toBe(404);
    expect((await there.api.call('POST', `/runs/${runId}/import`, { lines: ['{"kind":"record"}'] })).status).toBe(400);
  });
});
