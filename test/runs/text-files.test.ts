import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Json } from '../../shared/json.ts';
import type { Results } from '../../shared/record.ts';
import { resultsIn } from '../support/api-client.ts';
import { type Machine, startMachine } from '../support/machine.ts';
import { anthropicMessage, text, toolUse } from '../support/provider-server/answers.ts';
import { type ProviderServer, startProviderServer } from '../support/provider-server.ts';
import { reportOf } from './text-file-agents.ts';

let provider: ProviderServer;
let machine: Machine;
beforeAll(async () => {
  provider = await startProviderServer();
  const environment = { ANTHROPIC_BASE_URL: `${provider.url}/v1`, ANTHROPIC_API_KEY: 'key' };
  machine = await startMachine(new URL('./text-file-agents.ts', import.meta.url), { environment });
});
afterAll(async () => {
  await machine?.stop();
  await provider?.close();
});
let before = 0;
beforeEach(() => {
  before = provider.requests.length;
});

const table = `\ufeff${Array.from({ length: 5_000 }, (_, i) => `row ${i},${i * 7}`).join('\n')}\nthe last row,ä`;
const sent = (content: string | Buffer, mediaType: string, name: string): Json => ({
  mediaType,
  name,
  data: Buffer.from(content).toString('base64'),
});
const calls = (...made: [tool: string, input: object][]) => ({
  body: anthropicMessage(
    made.map(([tool, input], i) => toolUse(`t${i}`, tool, input)),
    'tool_use',
  ),
});
/** A reply to a request of which the provider counts many tokens. */
const large = ({ body }: ReturnType<typeof calls>) => ({ body: { ...body, usage: { input_tokens: 2_600, output_tokens: 10 } } });
const says = (words: string) => ({ body: anthropicMessage([text(words)], 'end_turn') });

/** The conversation of each request, without the marks for a cache, which move with its end. */
const conversations = () =>
  provider.requests.slice(before).map(({ body }) => JSON.stringify(body.messages).replaceAll(',"cache_control":{"type":"ephemeral"}', ''));
const expectGrowing = () => {
  for (const [i, each] of conversations().entries())
    if (i > 0) expect(each.startsWith((conversations()[i - 1] as string).slice(0, -1))).toBe(true);
};

async function play(agent: string, input: Json, ...played: Parameters<ProviderServer['play']>) {
  provider.play(...played);
  const runId = await machine.api.start(agent, input);
  await machine.api.until(runId, 'completed');
  expect(provider.refusals).toEqual([]);
  return { runId, results: resultsIn(await machine.api.records(runId)) };
}

const blobsOf = (runId: string) => join(machine.dataDir, 'blobs', 'runs', runId);
const hashOf = (content: string) => createHash('sha256').update(content).digest('hex');

describe('a file of text that a person hands in', () => {
  it('is shown to the model with its beginning and end, read on, and given to tools whole', async () => {
    const { results } = await play(
      'reader',
      { text: 'How many rows?', files: [{ $file: sent(table, 'text/csv', 'table.csv') }] },
      calls(['read_result', { id: 'm1_0_f1', from: 40_000, length: 60 }], ['count_lines', { file: 'm1_0_f1' }]),
      calls(['count_lines', { file: hashOf(table) }], ['count_lines', { file: 'm1_0_f2' }]),
      says('5001 rows.'),
    );
    const whole = table.slice(1);
    const [first] = conversations();
    const note = `[file m1_0_f1: table.csv, text/csv, ${Buffer.byteLength(table)} bytes]`;
    expect(first).toContain(note);
    expect(first).toContain('<file id=\\"m1_0_f1\\">\\nrow 0,0\\nrow 1,7\\n');
    expect(first).toMatch(/\[… \d+ of \d+ characters left out; read_result reads on with {\\"id\\":\\"m1_0_f1\\",\\"from\\":\d+} …\]/);
    expect(first).toContain(`of ${whole.length} characters`);
    expect(first).toContain('the last row,ä\\n</file>');
    expect(first?.length).toBeLessThan(24_000);
    expectGrowing();
    expect(results[0]?.output).toBe(`(characters 40000 to 40060 of ${whole.length})\n${whole.slice(40_000, 40_060)}`);
    const counted = { name: 'table.csv', mediaType: 'text/csv', bytes: Buffer.byteLength(table), lines: 5_001 };
    expect(results.slice(1, 3).map(({ output }) => output)).toEqual([counted, counted]);
    expect(results[3]).toMatchObject({
      ok: false,
      output: expect.stringContaining('Cannot read file "m1_0_f2": no record of this run names it'),
    });
  });

  it('is shown with the message that it came with, beside one that is no text', async () => {
    const { runId } = await play('reader', 'Wait.', says('I wait.'));
    provider.play(says('Seen.'));
    const files = [sent(Buffer.from([0xff, 0xfe, 0]), 'text/csv', 'no-text.csv'), sent('{"a": "😀"}', 'application/json', 'a.json')];
    await machine.api.call('POST', `/runs/${runId}/messages`, { text: 'And these?', files });
    await expect.poll(async () => (await machine.api.records(runId)).filter(({ type }) => type === 'reply').length).toBe(2);
    const last = JSON.stringify(provider.requests.at(-1)?.body.messages);
    expect(last).toContain(
      'And these?\\n[file m4_0_f1: no-text.csv, text/csv, 3 bytes]\\n[file m4_0_f2: a.json, application/json, 13 bytes]\\n\\n<file id=\\"m4_0_f2\\">\\n{\\"a\\": \\"😀\\"}\\n</file>',
    );
    expect(last).toContain(
      '(file m4_0_f1, no-text.csv, text/csv, 3 bytes, is not shown: it is no text in UTF-8, or there is no room for it)',
    );
  });
});

describe('a file of text that a tool returns', () => {
  it('is shown inside its result, read on, and taken by another tool', async () => {
    const { runId, results } = await play(
      'reader',
      'Report.',
      calls(['make_report', { lines: 3_000 }], ['make_report', { lines: 1 }]),
      calls(
        ['read_result', { id: 'c2_0_f1', from: 30_000, length: 12 }],
        ['read_result', { id: 'c2_0_f2' }],
        ['count_lines', { file: 'c2_0_f1' }],
      ),
      calls(['send_file', { file: 'c2_1_f1' }]),
      says('Done.'),
    );
    const whole = reportOf(3_000);
    const second = conversations()[1] ?? '';
    expect(second).toContain(
      `{\\"report\\":\\"[file c2_0_f1: report.md, text/markdown, ${whole.length} bytes]\\",\\"data\\":\\"[file c2_0_f2: application/octet-stream, 3 bytes]\\"}`,
    );
    expect(second).toContain('<file id=\\"c2_0_f1\\">\\n- finding 0\\n- finding 1\\n');
    expect(second).toContain('- finding 2999\\n</file>');
    expect(second).toContain('<file id=\\"c2_1_f1\\">\\n- finding 0\\n</file>');
    expectGrowing();
    expect(results.slice(2, 5)).toMatchObject([
      { ok: true, output: `(characters 30000 to 30012 of ${whole.length})\n${whole.slice(30_000, 30_012)}` },
      { ok: false, output: expect.stringContaining('its 3 bytes of type application/octet-stream are no text') },
      { ok: true, output: { name: 'report.md', lines: 3_000 } },
    ]);
    expect(machine.world.applied.filter(({ key }) => key.startsWith(runId))).toMatchObject([{ name: 'send_file', input: '- finding 0' }]);
  });
});

describe('a file whose bytes are gone, or are others', () => {
  it.each([
    ['gone', (path: string) => rmSync(path)],
    ['cut off', (path: string) => writeFileSync(path, readFileSync(path).subarray(1))],
  ])('%s: is an error that names it before anything is done, and is read again once it is back', async (_, damage) => {
    const { runId } = await play('reader', { $file: sent('the very bytes', 'text/plain', 'a.txt') }, says('I wait.'));
    const path = join(blobsOf(runId), hashOf('the very bytes'));
    expect(readdirSync(blobsOf(runId))).toEqual([hashOf('the very bytes')]);
    damage(path);
    // Another worker, which remembers nothing.
    await machine.restart();
    const again = async (words: string) => {
      provider.play(calls(['send_file', { file: 'm1_0_f1' }]), says(words));
      await machine.api.call('POST', `/runs/${runId}/messages`, { text: 'Send it' });
      await expect.poll(async () => JSON.stringify(await machine.api.records(runId)), { timeout: 20_000 }).toContain(words);
      return (await machine.api.records(runId)).findLast((record): record is Results & typeof record => record.type === 'results')?.results;
    };
    expect(await again('It cannot be sent.')).toMatchObject([
      {
        ok: false,
        output: expect.stringContaining('Cannot read file "m1_0_f1" (a.txt, text/plain, 14 bytes): its bytes are gone, or are not those'),
      },
    ]);
    expect(machine.world.applied.filter(({ key }) => key.startsWith(runId))).toEqual([]);
    mkdirSync(blobsOf(runId), { recursive: true });
    writeFileSync(path, 'the very bytes');
    expect(await again('It was sent.')).toMatchObject([{ ok: true, output: 'sent' }]);
    expect(machine.world.applied.filter(({ key }) => key.startsWith(runId))).toMatchObject([{ input: 'the very bytes' }]);
  });
});

describe('files in a run that is summed up', () => {
  it('are shown beside its summary while their messages are, and read by their ids for ever', async () => {
    const long = 'word '.repeat(1_000);
    const { runId, results } = await play(
      'forgetful',
      { text: 'Read.', files: [{ $file: sent(table, 'text/csv', 'table.csv') }] },
      calls(['make_report', { lines: 500 }]),
      calls(['make_report', { lines: 600 }]),
      large(calls(['make_report', { lines: 700 }])),
      says('A summary: there are reports.'),
      calls(
        ['read_result', { id: 'c2_0_f1', from: 0, length: 20 }],
        ['count_lines', { file: 'c2_0_f1' }],
        ['count_lines', { file: 'm1_0_f1' }],
      ),
      says(long.slice(0, 20)),
    );
    const summaries = (await machine.api.call<{ summaries: { seq: number }[] }>('GET', `/runs/${runId}/summaries`)).body.summaries;
    expect(summaries.length).toBeGreaterThan(0);
    const summing = conversations().find((each) => each.includes('Sum up records')) ?? '';
    expect(summing).toContain('[file c2_0_f1: report.md, text/markdown');
    expect(summing).toContain('<file id=\\"c2_0_f1\\">\\n- finding 0');
    const last = conversations().at(-1) ?? '';
    expect(last).toContain('[file m1_0_f1: table.csv');
    expect(last).toContain('A summary: there are reports.');
    for (const each of conversations()) expect(each.length / 4).toBeLessThan(4_000);
    expect(results.slice(-3).map(({ output }) => output)).toMatchObject([
      `(characters 0 to 20 of ${reportOf(500).length})\n${reportOf(500).slice(0, 20)}`,
      { lines: 500 },
      { lines: 5_001 },
    ]);
  });
});
