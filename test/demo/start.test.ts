import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { readLedger } from '../../agents/refund-desk/ledger.ts';

const START = fileURLToPath(new URL('../../demo/start.ts', import.meta.url));
const CLI = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));

const children: ChildProcess[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const folder of folders.splice(0)) {
    process.kill(JSON.parse(readFileSync(join(provider(folder), 'provider.json'), 'utf8')).pid, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
});

const provider = (folder: string) => join(folder, '.holdfast', 'data', 'payment-provider');

/** `npm start` in a folder; `shows` fulfils when its screen has a text. */
function start(folder: string) {
  const env = { ...process.env, HOLDFAST_MODEL: 'scripted/start' };
  const child = spawn(process.execPath, [START, '--port', '0'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  let screen = '';
  child.stdout?.on('data', (text) => (screen += text));
  const shows = async (pattern: RegExp) => {
    for (let i = 0; i < 3_000 && !pattern.test(screen); i++) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(screen).toMatch(pattern);
    return pattern.exec(screen)?.[1] ?? '';
  };
  return { child, shows };
}

const gone = (child: ChildProcess) => new Promise((resolve) => child.once('exit', resolve));

const holdfast = (folder: string, ...args: string[]) =>
  new Promise<string>((resolve) => {
    execFile(process.execPath, [CLI, ...args], { cwd: folder }, (_error, out, err) => resolve(out + err));
  });

it('npm start shows a run up to its approval, survives kill -9, and goes on where it stood', { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'start-'));
  folders.push(folder);
  const first = start(folder);
  const ask = await first.shows(/npx holdfast answer (\S+) --yes/);
  first.child.kill('SIGKILL');
  await gone(first.child);

  const second = start(folder);
  await second.shows(/Not over when the service last ended/);
  await second.shows(/npx holdfast answer \S+ --yes/);
  expect(await holdfast(folder, 'answer', ask, '--yes')).toContain('answered');
  await second.shows(/completed \(final-reply\)/);
  await second.shows(/goes on until Ctrl-C/);
  const refunds = readLedger(join(provider(folder), 'ledger.jsonl')).filter(({ kind }) => kind === 'refund');
  expect(refunds.map(({ details }) => details.orderId)).toEqual(['A-1001', 'A-1002']);
  expect((await holdfast(folder, 'ls')).match(/refund-desk/g)).toHaveLength(1);

  second.child.kill('SIGTERM');
  await gone(second.child);
  await expect(fetch(`${JSON.parse(readFileSync(join(provider(folder), 'provider.json'), 'utf8')).url}/control`)).rejects.toThrow();
  folders.length = 0;
  rmSync(folder, { recursive: true });
});
