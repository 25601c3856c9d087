import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Machine, startMachine } from '../support/machine.ts';
import { PIXEL, pngOf } from '../support/pictures.ts';
import { holdfast } from './command.ts';

let machine: Machine;
beforeAll(async () => {
  machine = await startMachine(new URL('../runs/file-agents.ts', import.meta.url));
});
afterAll(() => machine?.stop());
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'cli-files-'));
  folders.push(made);
  return made;
}

const say = (args: string[], cwd = '/nowhere') => holdfast(machine.host.url, args, { cwd });
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Starts a run with the command and returns its id. */
async function started(args: string[], cwd: string): Promise<string> {
  const { code, out, err } = await say(['run', 'files', '--no-watch', ...args], cwd);
  expect([code, err]).toEqual([0, '']);
  await machine.api.until(out.trim(), 'completed');
  return out.trim();
}

describe('holdfast run --attach', () => {
  it('sends files beside a text, and among the fields of an object', async () => {
    const at = folder();
    writeFileSync(join(at, 'a.jpg'), PIXEL);
    writeFileSync(join(at, 'b.csv'), 'a,b\n');
    const asText = await started(['What is this?', '--attach', 'a.jpg', '--attach', 'b.csv'], at);
    expect((await machine.api.records(asText))[0]).toMatchObject({
      input: {
        text: 'What is this?',
        files: [
          { $file: { sha256: hashOf(PIXEL), mediaType: 'image/png', name: 'a.jpg' } },
          { $file: { bytes: 4, mediaType: 'text/csv', name: 'b.csv' } },
        ],
      },
    });
    const asObject = await started(['{"order":1}', '--attach', 'b.csv'], at);
    expect((await machine.api.records(asObject))[0]).toMatchObject({ input: { order: 1, files: [{ $file: { name: 'b.csv' } }] } });
  });

  it.each([
    ['a file that is not there', ['x', '--attach', 'none.png'], /Cannot attach .*none.png: ENOENT/],
    ['a folder', ['x', '--attach', '.'], /Cannot attach .*: EISDIR$/],
    ['an empty file', ['x', '--attach', 'empty.txt'], /Cannot attach .*empty.txt: it is empty/],
    [
      'another thing than a picture by that name',
      ['x', '--attach', 'large.bin', '--attach', 'large.bin'],
      /one request takes about 4050000$/,
    ],
    ['files beside a list', ['[1]', '--attach', 'some.txt'], /the input must be text, or a JSON object/],
    ['files beside others', ['{"files":1}', '--attach', 'some.txt'], /without "files" of its own/],
  ])('refuses %s', async (_, args, words) => {
    const at = folder();
    writeFileSync(join(at, 'empty.txt'), '');
    writeFileSync(join(at, 'some.txt'), 'some');
    writeFileSync(join(at, 'large.bin'), Buffer.alloc(3_000_000));
    const { code, err } = await say(['run', 'files', ...args], at);
    expect(code).toBe(2);
    expect(err.trim()).toMatch(words);
  });
});

describe('holdfast message --attach', () => {
  it('sends a file with the message', async () => {
    const at = folder();
    writeFileSync(join(at, 'a.png'), PIXEL);
    const runId = await started(['go'], at);
    expect((await say(['message', runId, 'and', 'this', '--attach', 'a.png'], at)).code).toBe(0);
    await expect
      .poll(async () => (await machine.api.records(runId)).find(({ type }) => type === 'user'))
      .toMatchObject({ messages: [{ text: 'and this', files: [{ sha256: hashOf(PIXEL), name: 'a.png' }] }] });
  });
});

describe('holdfast files', () => {
  it('lists the files of a run, each once, and saves them under their names', async () => {
    const at = folder();
    const runId = await machine.api.start('files', [
      ['read_files', 'pictures within other values'],
      ['read_files', 'a picture'],
      ['make_files', '20 MB'],
    ]);
    await machine.api.until(runId, 'completed');
    const listed = await say(['files', runId]);
    expect(listed.out.trim().split('\n')).toHaveLength(4);
    expect(listed.out).toMatch(/#3 +text\/csv +8 +[0-9a-f]{12} +table\.csv/);
    const saved = await say(['files', runId, '--save', 'out', '--json'], at);
    expect(saved.err).toBe('');
    const { files } = JSON.parse(saved.out) as { files: { sha256: string; saved: string }[] };
    expect(files.map((file) => hashOf(readFileSync(file.saved)))).toEqual(files.map(({ sha256 }) => sha256));
    expect(readdirSync(join(at, 'out')).sort()).toEqual(
      [`${hashOf(PIXEL).slice(0, 12)}.png`, `${hashOf(pngOf(800, 600, 20_000_000)).slice(0, 12)}.png`, 'table.csv'].sort(),
    );
    expect(await say(['files', runId, '--save', 'out', '--json'], at)).toEqual(saved);
  });

  it('replaces no file, and lets no name lead out of the folder', async () => {
    const at = folder();
    const runId = await machine.api.start('files', [
      ['read_files', 'pictures within other values'],
      ['read_files', 'a file by hand'],
    ]);
    await machine.api.until(runId, 'completed');
    writeFileSync(join(at, 'table.csv'), 'mine');
    const byHand = await machine.api.start('files', [
      ['read_files', 'a file by hand'],
      ['read_files', 'a picture'],
    ]);
    await machine.api.until(byHand, 'completed');
    expect((await say(['files', runId, '--save', '.'], at)).code).toBe(0);
    expect((await say(['files', byHand, '--save', '.'], at)).code).toBe(0);
    expect(readFileSync(join(at, 'table.csv'), 'utf8')).toBe('mine');
    expect(readdirSync(at).sort()).toEqual(
      [
        '_.._x_[2J.png',
        `${hashOf(PIXEL).slice(0, 12)}.png`,
        `${hashOf(Buffer.from('a,b\n1,2\n')).slice(0, 12)}-table.csv`,
        'table.csv',
      ].sort(),
    );
    expect((await say(['files', byHand])).out).not.toContain('\u001b');
  });

  it('says that bytes which are not the file are none', async () => {
    const runId = await machine.api.start('files', [['read_files', 'a file by hand']]);
    await machine.api.until(runId, 'completed');
    const { code, err } = await say(['files', runId, '--save', folder()]);
    expect([code, err]).toEqual([1, expect.stringContaining('has no file with this hash')]);
  });
});
