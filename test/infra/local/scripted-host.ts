import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { type Host, type HostOptions, startHost } from '../../../infra/local/host.ts';
import type { ScriptedRun } from './handlers/run.ts';

/** The handlers of these tests: runs that follow a script. */
export const HANDLERS = join(import.meta.dirname, 'handlers');

/** A data folder that is removed after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-host-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts a host for one test; it does not sweep unless told to. */
export async function startScriptedHost(options: Partial<HostOptions> = {}): Promise<Host> {
  const host = await startHost({ dataDir: temporaryFolder(), handlers: HANDLERS, backoffMs: 1, maxWaitMs: 1, sweepMs: 0, ...options });
  onTestFinished(() => host.stop());
  return host;
}

export const send = (url: string, path: string, init: RequestInit = {}) => fetch(url + path, init);

export const post = (url: string, path: string, body: unknown) =>
  send(url, path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

/** Starts a run that follows a script. */
export async function startRun(url: string, runId: string, script: string[]): Promise<void> {
  const response = await post(url, '/runs', { runId, script });
  if (response.status !== 202) throw new Error(await response.text());
}

export const readRun = async (url: string, runId: string): Promise<ScriptedRun> => (await send(url, `/runs/${runId}`)).json();

/** Asks again and again until the answer is to be had. */
export async function until<T>(ask: () => Promise<T | undefined | false> | T | undefined | false): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    await setTimeout(5);
  }
}

/** Waits for a run to reach a status. */
export const reached = (url: string, runId: string, status: string) =>
  until(async () => {
    const run = await readRun(url, runId);
    return run.status === status && run;
  });

/** Waits for an execution to close. */
export const closed = (host: Host, name: string) =>
  until(() => host.info().executions.find((execution) => execution.name === name && execution.status !== 'RUNNING'));

export const logOf = (dataDir: string, name: string) => readFileSync(join(dataDir, 'logs', `${name}.log`), 'utf8');

/** Tells whether a process is there. One that nobody has waited for is not. */
export function isThere(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
