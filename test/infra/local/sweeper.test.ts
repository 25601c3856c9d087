import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { LocalFunctions } from '../../../infra/local/functions.ts';
import { startSweeper } from '../../../infra/local/sweeper.ts';
import { logOf, startScriptedHost, temporaryFolder, until } from './scripted-host.ts';

/** Functions of which each invocation takes as long as told, and is counted. */
function slowFunctions(ms: number) {
  const seen = { most: 0, now: 0, all: 0 };
  const invoke = async () => {
    seen.all += 1;
    seen.most = Math.max(seen.most, ++seen.now);
    await setTimeout(ms);
    seen.now -= 1;
    return 'null';
  };
  return { functions: { invoke, stopped: () => false } as unknown as LocalFunctions, seen };
}

describe('a host', () => {
  it('sweeps again and again, with the event of a schedule, also after a sweep that failed', async () => {
    const error = vi.spyOn(console, 'error').mockReturnValue();
    const dataDir = temporaryFolder();
    const host = await startScriptedHost({ dataDir, sweepMs: 20 });
    await until(() => host.info().invocations.sweep.started >= 4);
    const log = logOf(dataDir, 'sweep').split('\n')[0] as string;
    expect(JSON.parse(log)).toMatchObject({ source: 'aws.events', 'detail-type': 'Scheduled Event', detail: {} });
    expect(error).toHaveBeenCalledWith(expect.stringMatching(/^Cannot sweep: .*swept too much/));
    expect((await fetch(`${host.url}/agents`)).status).toBe(200);
    await host.stop();
    error.mockRestore();
  });

  it('does not sweep when it is told so', async () => {
    const host = await startScriptedHost({ sweepMs: 0 });
    await setTimeout(100);
    expect(host.info().invocations.sweep.started).toBe(0);
  });
});

describe('startSweeper()', () => {
  it('lets sweeps not overlap', async () => {
    const { functions, seen } = slowFunctions(30);
    const sweeper = startSweeper(functions, 1);
    await until(() => seen.all >= 3);
    sweeper.stop();
    expect(seen.most).toBe(1);
  });

  it('sweeps no more once it is stopped, even in the midst of a sweep', async () => {
    const { functions, seen } = slowFunctions(30);
    const sweeper = startSweeper(functions, 1);
    await until(() => seen.now === 1);
    sweeper.stop();
    await setTimeout(80);
    expect(seen.all).toBe(1);
  });
});
