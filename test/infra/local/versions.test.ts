import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundleFile } from '../../../infra/local/bundles.ts';
import { MACHINE_ARN } from '../../../infra/local/names.ts';
import { openVersions, pruneVersions, type Versions, versionFor } from '../../../infra/local/versions.ts';
import { temporaryFolder } from './scripted-host.ts';

const MACHINE = { StartAt: 'A', States: { A: { Type: 'Succeed' } } };

/** A data folder, and what opens it with bundles of a text. */
function dataDir() {
  const path = temporaryFolder();
  const open = (text: string, machine = MACHINE) => {
    const bundles = join(temporaryFolder(), 'bundles');
    mkdirSync(bundles);
    writeFileSync(bundleFile(bundles, 'model-step'), text);
    return openVersions(path, machine, bundles);
  };
  return { path, open };
}

const numbers = ({ all }: Versions) => all.map(({ number }) => number);

describe('openVersions()', () => {
  it('numbers what is in service by its content, from 1', async () => {
    const { open } = dataDir();
    expect((await open('a')).today.number).toBe(1);
    expect((await open('a')).today.number).toBe(1);
    const second = await open('b');
    expect([second.today.number, numbers(second)]).toEqual([2, [1, 2]]);
  });

  it('gives what comes back its old number', async () => {
    const { open } = dataDir();
    await open('a');
    await open('b');
    const back = await open('a');
    expect([back.today.number, numbers(back)]).toEqual([1, [1, 2]]);
  });

  it('tells another state machine from the same bundles apart', async () => {
    const { open } = dataDir();
    await open('a');
    expect((await open('a', { ...MACHINE, StartAt: 'B' })).today.number).toBe(2);
  });

  it('keeps what a version needs, whatever becomes of the bundles that it was made from', async () => {
    const { open } = dataDir();
    const first = await open('a');
    rmSync(first.today.bundles, { recursive: true });
    const old = versionFor(await open('b'), first.today.arn);
    expect(readFileSync(bundleFile(old?.bundles ?? '', 'model-step'), 'utf8')).toBe('a');
    expect(old?.machine).toEqual(MACHINE);
  });

  it('gives no number twice, also when the version that had it is gone', async () => {
    const { path, open } = dataDir();
    await open('a');
    rmSync(join(path, 'versions'), { recursive: true });
    expect((await open('b')).today.number).toBe(2);
  });

  it('forgets what a start left behind that was cut off', async () => {
    const { path, open } = dataDir();
    await open('a');
    mkdirSync(join(path, 'versions', '2.draft'));
    expect(numbers(await open('b'))).toEqual([1, 2]);
  });
});

describe('versionFor()', () => {
  it('knows the versions that are there, and takes a machine without a version for today’s', async () => {
    const versions = await dataDir().open('a');
    expect(versionFor(versions, MACHINE_ARN)).toBe(versions.today);
    expect(versionFor(versions, `${MACHINE_ARN}:1`)).toBe(versions.today);
    expect(versionFor(versions, `${MACHINE_ARN}:2`)).toBeUndefined();
    expect(versionFor(versions, `${MACHINE_ARN}2`)).toBeUndefined();
  });
});

describe('pruneVersions()', () => {
  it('keeps today’s, the newest ten others, and those that unfinished runs are pinned to', async () => {
    const { path, open } = dataDir();
    for (let i = 1; i <= 14; i++) await open(`${i}`);
    await pruneVersions(path, await open('14'), async () => new Set([`${MACHINE_ARN}:2`]));
    expect(numbers(await open('14'))).toEqual([2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
  });

  it('asks for no run while there are few', async () => {
    const { path, open } = dataDir();
    await pruneVersions(path, await open('1'), () => Promise.reject(new Error('asked')));
  });
});
