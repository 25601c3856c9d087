import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readOptions } from './options.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-options-'));
writeFileSync(join(folder, 'aws-sim'), '');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const optionsOf = (...args: string[]) => readOptions(['--sim', folder, '--tasks', '0', ...args]);

describe('readOptions()', () => {
  it('says what is wrong', () => {
    const nowhere = join(folder, 'nowhere');
    expect(() => readOptions(['--sim', nowhere])).toThrow(`Cannot start: there is no aws-sim in "${nowhere}"; say --sim FOLDER`);
    expect(() => optionsOf('--tasks', '1', '--data', nowhere)).toThrow(`there is no folder "${nowhere}"; say --data FOLDER, or --tasks 0`);
    expect(() => optionsOf('--share', 'some')).toThrow('Cannot use --share some: it must be a number');
  });

  it('makes the slice of a seed the same each time, and as large as the share', () => {
    const names = Array.from({ length: 1_000 }, (_, i) => `try ${i}`);
    const sliceOf = (...args: string[]) => names.filter(optionsOf(...args).slice);
    expect(sliceOf('--share', '0')).toEqual([]);
    expect(sliceOf()).toEqual(names);
    const some = sliceOf('--share', '0.3', '--seed', '4');
    expect(some).toEqual(sliceOf('--share', '0.3', '--seed', '4'));
    expect(some).not.toEqual(sliceOf('--share', '0.3', '--seed', '5'));
    expect(some.length).toBeGreaterThan(230);
    expect(some.length).toBeLessThan(370);
  });
});
