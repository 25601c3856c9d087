import { setTimeout as pause } from 'node:timers/promises';
import type { HostInfo } from '../infra/local/host.ts';
import type { RunRecord } from '../shared/record.ts';
import type { Load } from './agents.ts';

/** Starts a run of the benchmark's agent and returns its id. */
export async function startRun(url: string, load: Load, agent = 'bench'): Promise<string> {
  const body = JSON.stringify({ agent, input: load });
  const response = await fetch(`${url}/runs`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const { runId } = (await response.json()) as { runId?: string };
  if (!runId) throw new Error(`Cannot measure: POST /runs answered ${response.status}`);
  return runId;
}

/** Waits for the end of a run's executions, looking every `everyMs`. */
export async function untilOver(info: () => HostInfo | Promise<HostInfo>, runId: string, everyMs = 20): Promise<HostInfo> {
  for (;;) {
    const seen = await info();
    const mine = seen.executions.filter(({ name }) => name.startsWith(runId));
    if (mine.length > 0 && mine.every(({ status }) => status !== 'RUNNING')) return seen;
    await pause(everyMs);
  }
}

/** Reads a run's records above a seq, in order. */
export async function recordsOf(url: string, runId: string, after = 0): Promise<RunRecord[]> {
  const all: RunRecord[] = [];
  for (;;) {
    const response = await fetch(`${url}/runs/${runId}/records?after=${after + all.length}`);
    const { records } = (await response.json()) as { records: RunRecord[] };
    if (records.length === 0) return all;
    all.push(...records);
  }
}
