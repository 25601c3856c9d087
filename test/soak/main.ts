import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { HostInfo } from '../../infra/local/host-options.ts';
import { type HostProcess, startHostProcess } from '../chaos/host-process.ts';
import { randomFrom, shuffled } from '../chaos/random.ts';
import { startWorld, type World } from '../runs/world.ts';
import { apiClient } from '../support/api-client.ts';

/**
 * Many runs that wait for consent at once on one machine: the host is killed and started again, then all are answered in
 * an order of chance, and each must complete with its one effect. `--runs 1000 --seed 1`.
 */
const { values } = parseArgs({ options: { runs: { type: 'string' }, seed: { type: 'string' } } });
const count = Number(values.runs ?? 1000);
const seed = Number(values.seed ?? 1);
/** Requests at once. */
const WIDTH = 8;
const PATIENCE_MS = 20 * 60_000;

const AGENTS = fileURLToPath(new URL('../runs/ask-agents.ts', import.meta.url));

process.exitCode = await soak();

async function soak(): Promise<number> {
  console.log(`Soak: ${count} runs wait for consent at once, seed ${seed}`);
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-soak-'));
  const world = await startWorld();
  const host = await startHostProcess({ folder, agents: AGENTS, environment: { WORLD_URL: world.url } });
  try {
    return report(await play(host, world), host);
  } finally {
    await host.stop();
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Played {
  readonly completed: number;
  readonly effects: number;
  readonly doubles: number;
}

async function play(host: HostProcess, world: World): Promise<Played> {
  const api = () => apiClient(host.url());
  const ids = await timed('started', () => atOnce([...Array(count).keys()], (i) => api().start('payer', [[`pay item-${i}`]])));
  await timed('all wait', () => eachIs(ids, 'waiting', api));
  await memory(host);
  await timed('the host is killed and serves again', () => host.killHost());
  await timed('all wait again', () => waitsAgain(host, ids, api));
  await memory(host);
  const order = shuffled(ids, randomFrom(seed));
  await timed('all are answered', () => atOnce(order, (runId) => answer(runId, api)));
  await timed('all complete', () => eachIs(ids, 'completed', api));
  await memory(host);
  const runs = await atOnce(ids, (runId) => api().show(runId));
  const keys = new Set(world.applied.map(({ key }) => key));
  return {
    completed: runs.filter(({ status }) => status === 'completed').length,
    effects: keys.size,
    doubles: world.applied.length - keys.size,
  };
}

type Api = () => ReturnType<typeof apiClient>;

async function answer(runId: string, api: Api): Promise<void> {
  const { status, body } = await api().answer(await api().show(runId), { by: 'Ada', decision: 'approve' });
  if (status !== 200) throw new Error(`Cannot answer run ${runId}: ${status} ${body.detail}`);
}

/** Waits until every run has a status, looking at those that do not have it yet. */
async function eachIs(ids: readonly string[], status: string, api: Api): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  let left: readonly string[] = ids;
  while (left.length > 0) {
    if (Date.now() > end) throw new Error(`${left.length} runs are not ${status}, e.g. ${left[0]}`);
    const runs = await atOnce(left, (runId) => api().show(runId));
    left = runs.filter((run) => run.status !== status).map(({ runId }) => runId);
    if (left.length > 0) await setTimeout(500);
  }
}

/** A killed host's successor gives each run its next segment, which takes the run over when it waits again. */
async function waitsAgain(host: HostProcess, ids: readonly string[], api: Api): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const { executions } = await infoOf(host);
    if (executions.filter(({ status }) => status === 'RUNNING').length >= ids.length) return eachIs(ids, 'waiting', api);
    if (Date.now() > end) throw new Error('The runs were not taken up again');
    await setTimeout(500);
  }
}

/** Does something for each, a few at a time, in order. */
async function atOnce<T, R>(list: readonly T[], act: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const line = async () => {
    for (let i = next++; i < list.length; i = next++) results[i] = await act(list[i] as T);
  };
  await Promise.all(Array.from({ length: WIDTH }, line));
  return results;
}

async function timed<T>(what: string, act: () => Promise<T>): Promise<T> {
  const begun = Date.now();
  const result = await act();
  console.log(`${((Date.now() - begun) / 1000).toFixed(1).padStart(8)} s  ${what}`);
  return result;
}

async function infoOf(host: HostProcess): Promise<HostInfo> {
  return (await (await fetch(`${host.controlUrl()}/info`)).json()) as HostInfo;
}

async function memory(host: HostProcess): Promise<void> {
  const { pid, workers } = await infoOf(host);
  const pids = Object.values(workers).flat();
  const sum = pids.reduce((total, each) => total + residentMiB(each), 0);
  console.log(`            host ${residentMiB(pid).toFixed(0)} MiB, ${pids.length} workers ${sum.toFixed(0)} MiB in sum`);
}

/** Resident memory of a process, MiB; not a number where there is no /proc. */
function residentMiB(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  } catch {
    return Number.NaN;
  }
}

function report({ completed, effects, doubles }: Played, { faults }: HostProcess): number {
  console.log(`${completed} of ${count} completed, ${effects} of ${count} effects, ${doubles} twice`);
  for (const fault of faults) console.log(fault);
  return completed === count && effects === count && doubles === 0 && faults.length === 0 ? 0 : 1;
}
