import { execFile, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeService, startFakeService } from './fake-service.ts';
import { endedRun, RUN_ID, waitingRun } from './sample-run.ts';

const MAIN = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));

/** Runs the command as a process of its own. */
const spawned = (url: string, ...args: string[]): Promise<{ code: number; out: string; err: string }> =>
  new Promise((resolve) => {
    const env = { ...process.env, HOLDFAST_URL: url };
    execFile(process.execPath, [MAIN, ...args], { env, cwd: '/' }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    );
  });

describe('the process', () => {
  let ended: FakeService;
  let waiting: FakeService;
  beforeAll(async () => {
    ended = await startFakeService([endedRun()]);
    waiting = await startFakeService([waitingRun()]);
  });
  afterAll(() => Promise.all([ended.close(), waiting.close()]));

  it('ends with the exit codes that its help promises', async () => {
    const codes = await Promise.all([
      spawned(ended.url, 'run', 'desk', 'x'),
      spawned(ended.url, 'run', 'nobody', 'x'),
      spawned(ended.url, 'fly'),
      spawned('http://127.0.0.1:9', 'ls'),
      spawned(waiting.url, 'watch', RUN_ID),
      spawned(ended.url, '--help'),
    ]);
    expect(codes.map(({ code }) => code)).toEqual([0, 1, 2, 3, 4, 0]);
  });

  it('writes no colours to a pipe, and no stack', async () => {
    const { out } = await spawned(ended.url, 'show', RUN_ID);
    expect(out).toContain('completed');
    expect(out).not.toContain('\u001b');
    expect((await spawned('http://127.0.0.1:9', 'ls')).err.trim().split('\n')).toHaveLength(1);
  });

  it('ends with 130 when its watching is interrupted, and with 0 when its reader has seen enough', async () => {
    const watching = spawn(process.execPath, [MAIN, 'watch', RUN_ID, '--stay'], { env: { ...process.env, HOLDFAST_URL: waiting.url } });
    await new Promise((resolve) => watching.stdout.once('data', resolve));
    watching.kill('SIGINT');
    expect(await exitOf(watching)).toBe(130);
    const closed = spawn(process.execPath, [MAIN, 'show', RUN_ID], { env: { ...process.env, HOLDFAST_URL: ended.url } });
    closed.stdout.destroy();
    expect(await exitOf(closed)).toBe(0);
  });
});

const exitOf = (child: ReturnType<typeof spawn>) => new Promise((resolve) => child.once('exit', resolve));
