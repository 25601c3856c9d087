import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { writeSmallShop } from '../support/small-shop.ts';
import { runCampaign } from './campaign.ts';
import { killsIn } from './killer.ts';
import { readOptions } from './options.ts';
import { faultsIn, isSound, linesOf } from './report.ts';

const data = mkdtempSync(join(tmpdir(), 'small-shop-'));
writeSmallShop(data);
afterAll(() => rmSync(data, { recursive: true, force: true }));

const optionsOf = (...args: string[]) => readOptions(['--data', data, '--seed', '7', '--parallel', '3', ...args], {});

describe('runCampaign()', () => {
  it('completes the tasks of the small shop truly while the service and its processes are killed', async () => {
    const options = optionsOf('--kills', '10');
    const findings = await runCampaign(options);
    expect([...findings.faults, ...findings.played.flatMap(faultsIn)]).toEqual([]);
    expect(isSound(findings)).toBe(true);
    expect(killsIn(findings.kills)).toBeGreaterThanOrEqual(10);
    expect(findings.kills.get('host')).toBe(2);
    expect(findings.kills.get('starting host')).toBe(1);
    expect(findings.played.length).toBeGreaterThanOrEqual(7);
    expect(linesOf(findings, options)).toContain('duplicates  0');
  });

  it('completes them without a kill, each once, over several segments', async () => {
    const findings = await runCampaign(optionsOf('--kills', '0', '--event-limit', '20', '--mode', 'blind'));
    expect([...findings.faults, ...findings.played.flatMap(faultsIn)]).toEqual([]);
    expect(new Set(findings.played.map(({ job }) => job.key)).size).toBe(7);
    expect(findings.played.some(({ segments }) => segments > 1)).toBe(true);
  });
});

describe('runCampaign() with restarts', () => {
  it('completes the tasks truly though each run is started over at a random point', async () => {
    const findings = await runCampaign(optionsOf('--kills', '0', '--restarts', '--hold-ms', '60'));
    expect([...findings.faults, ...findings.played.flatMap(faultsIn)]).toEqual([]);
    expect(findings.played).toHaveLength(7);
    expect(findings.played.reduce((sum, { reused }) => sum + reused, 0)).toBeGreaterThan(0);
  });
});

describe('readOptions()', () => {
  it('says what is wrong', () => {
    expect(() => readOptions([], {})).toThrow('--data FOLDER');
    expect(() => optionsOf('--kills', 'many')).toThrow('Cannot use --kills many: it must be a whole number');
    expect(() => optionsOf('--mode', 'deaf')).toThrow('Cannot use --mode deaf: it must be all or one of keys, find, blind');
  });

  it('takes the data folder from the environment too', () => {
    expect(readOptions([], { HOLDFAST_TAU_RETAIL: data })).toMatchObject({ data, kills: 500, modes: ['keys', 'find', 'blind'] });
  });
});
