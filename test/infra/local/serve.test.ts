import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hostFile, hostFileOf } from '../../../infra/local/data-dir.ts';
import type { HostInfo } from '../../../infra/local/host.ts';
import { HANDLERS, isThere, reached, readRun, startRun, startScriptedHost, temporaryFolder, until } from './scripted-host.ts';

const SERVE = join(import.meta.dirname, '../../../infra/local/serve.ts');

interface Served {
  child: ChildProcess;
  url: string;
  controlUrl: string;
}

/** Runs the service as a process of its own. */
async function serve(dataDir: string, more: string[] = []): Promise<Served> {
  const child = fork(SERVE, ['--data-dir', dataDir, '--handlers', HANDLERS, '--port', '0', '--backoff-ms', '1', ...more], {
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [message] = (await once(child, 'message')) as [{ url: string; controlUrl: string }];
  return { child, ...message };
}

const infoOf = async ({ controlUrl }: Served): Promise<HostInfo> => (await fetch(`${controlUrl}/info`)).json();
const allWorkers = ({ workers }: HostInfo) => Object.values(workers).flat();

async function end({ child }: Served, signal: NodeJS.Signals): Promise<number | null> {
  const exited = once(child, 'exit');
  child.kill(signal);
  return (await exited)[0];
}

describe('serve', () => {
  it('says where it is, and ends at a signal without leaving a process behind', async () => {
    const dataDir = temporaryFolder();
    const served = await serve(dataDir);
    await startRun(served.url, 'A', ['tools', 'ask']);
    await until(async () => (await readRun(served.url, 'A')).token);
    expect(hostFile.parse(JSON.parse(readFileSync(hostFileOf(dataDir), 'utf8')))).toMatchObject({ pid: served.child.pid, url: served.url });
    const workers = allWorkers(await infoOf(served));
    expect(workers.length).toBeGreaterThan(3);
    expect(await end(served, 'SIGTERM')).toBe(0);
    expect(workers.filter(isThere)).toEqual([]);
    expect(existsSync(hostFileOf(dataDir))).toBe(false);
  });

  it('ends when its parent is gone', async () => {
    const served = await serve(temporaryFolder());
    const exited = once(served.child, 'exit');
    served.child.disconnect();
    expect((await exited)[0]).toBe(0);
  });

  it('says why it cannot start', async () => {
    const dataDir = temporaryFolder();
    await startScriptedHost({ dataDir });
    const child = fork(SERVE, ['--data-dir', dataDir, '--handlers', HANDLERS], { execArgv: [], stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    const said: Buffer[] = [];
    child.stderr?.on('data', (chunk) => said.push(chunk));
    expect((await once(child, 'close'))[0]).toBe(1);
    expect(Buffer.concat(said).toString()).toContain('another host uses it');
  });

  it('may be killed: the next host ends its workers and goes on with its runs', async () => {
    const dataDir = temporaryFolder();
    const served = await serve(dataDir);
    await startRun(served.url, 'A', ['spin', 'tools', 'end:completed']);
    await startRun(served.url, 'B', ['ask', 'end:completed']);
    await until(async () => (await readRun(served.url, 'B')).token);
    const [spinning] = (await until(async () => {
      const info = await infoOf(served);
      return info.invocations['model-step'].started >= 2 && info.workers['model-step'];
    })) as [number];
    await end(served, 'SIGKILL');
    expect(isThere(spinning)).toBe(true);
    const next = await startScriptedHost({ dataDir });
    expect(isThere(spinning)).toBe(false);
    expect(await reached(next.url, 'A', 'completed')).toMatchObject({ segment: 2, recovered: ['host'] });
    await next.recovered;
    expect(await readRun(next.url, 'B')).toMatchObject({ status: 'waiting', segment: 2, recovered: ['host'] });
  });
});
