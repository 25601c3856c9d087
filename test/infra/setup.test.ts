import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const LOCK = { packages: { '': {}, 'node_modules/a': { integrity: 'a1' }, 'node_modules/b': { integrity: 'b1', optional: true } } };

/** A project with the script and an `npm` that writes down what it is called with, and does what it is told. */
function project(npm = 'echo "$@" >> npm-calls') {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-setup-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of ['scripts', 'bin', 'node_modules']) mkdirSync(join(folder, name));
  copyFileSync(join(ROOT, 'scripts/setup.mjs'), join(folder, 'scripts/setup.mjs'));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(LOCK));
  writeFileSync(join(folder, 'bin/npm'), `#!/bin/sh\n${npm}\n`);
  chmodSync(join(folder, 'bin/npm'), 0o755);
  const env = { ...process.env, PATH: `${join(folder, 'bin')}${delimiter}${process.env.PATH}` };
  const installed = (packages: object) => writeFileSync(join(folder, 'node_modules/.package-lock.json'), JSON.stringify({ packages }));
  const run = () => spawnSync(process.execPath, [join(folder, 'scripts/setup.mjs')], { env, encoding: 'utf8' });
  const calls = () => (existsSync(join(folder, 'npm-calls')) ? readFileSync(join(folder, 'npm-calls'), 'utf8').trim() : '');
  return { run, calls, installed };
}

describe('setup', () => {
  it('installs what is missing, and says so in one line', () => {
    const { run, calls } = project();
    const { status, stdout } = run();
    expect([status, stdout]).toEqual([0, 'Installing 1 packages (npm ci), once...\n']);
    expect(calls()).toMatch(/^ci /);
  });

  it('installs again when the lock file names another version', () => {
    const { run, calls, installed } = project();
    installed({ 'node_modules/a': { integrity: 'a0' } });
    run();
    expect(calls()).toMatch(/^ci /);
  });

  it('does and says nothing when all is there, but for optional packages of other systems', () => {
    const { run, calls, installed } = project();
    installed({ 'node_modules/a': { integrity: 'a1' } });
    const { status, stdout, stderr } = run();
    expect([status, stdout, stderr, calls()]).toEqual([0, '', '', '']);
  });

  it('says what npm says when it fails', () => {
    const { status, stderr } = project('echo "npm error no network" >&2; exit 1').run();
    expect(status).toBe(1);
    expect(stderr).toContain('Cannot install the packages: npm ci failed\nnpm error no network');
  });
});

describe('bin/holdfast.mjs', () => {
  it('runs the command and passes its exit code on', () => {
    const run = (...args: string[]) => spawnSync(process.execPath, [join(ROOT, 'bin/holdfast.mjs'), ...args], { encoding: 'utf8' });
    expect(run('--version')).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
    expect(run('no-such-command').status).not.toBe(0);
  });
});
