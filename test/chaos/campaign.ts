import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DATA_VARIABLE, readTasks, TASK_SETS } from '../../agents/tau-retail/data.ts';
import { SHOP_VARIABLE } from '../../agents/tau-retail/shop-client.ts';
import { apiAt } from './api.ts';
import { type Kills, killOnTheWay, killsIn, type Progress } from './killer.ts';
import type { Options } from './options.ts';
import { type Job, type Played, play } from './play.ts';
import { randomFrom, shuffled } from './random.ts';
import { type Service, startService } from './host-process.ts';
import { type ShopProcess, startShopProcess } from './shop-process.ts';
import { watcherOf } from './watcher.ts';

/** What a campaign found. */
export interface Findings {
  readonly tasks: number;
  readonly played: readonly Played[];
  readonly kills: Kills;
  readonly seconds: number;
  /** What is wrong beyond a single run. */
  readonly faults: readonly string[];
}

/** Does the tasks while processes of the service, and the service itself, are killed; then compares with the truth. */
export async function runCampaign(options: Options, onEnd: (played: Played, ended: number) => void): Promise<Findings> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-chaos-'));
  const data = resolve(options.data);
  const shop = await startShopProcess(data, folder, options.holdMs);
  try {
    const service = await startService(folder, { [DATA_VARIABLE]: data, [SHOP_VARIABLE]: shop.url });
    try {
      return await campaign({ ...options, data }, service, shop, onEnd);
    } finally {
      await service.stop();
    }
  } finally {
    await shop.stop();
    if (!options.keep) rmSync(folder, { recursive: true, force: true });
    else console.log(`Everything is kept in ${folder}`);
  }
}

async function campaign(
  options: Options,
  service: Service,
  shop: ShopProcess,
  onEnd: (played: Played, ended: number) => void,
): Promise<Findings> {
  const begun = Date.now();
  const random = randomFrom(options.seed);
  const jobs = jobsOf(options);
  const progress: Progress = { total: jobs.length, started: 0, ended: 0 };
  const played: Played[] = [];
  const api = apiAt(service.url);
  const stage = { api, shop, watcher: watcherOf(api) };
  let over = false;
  let kills: Kills = new Map();
  const killing = killOnTheWay(options.kills, service, progress, random, () => over).then((all) => {
    kills = all;
    over = true;
  });
  const isLeft = () => progress.started < jobs.length || (options.kills > 0 && !over);
  const hand = async () => {
    while (isLeft()) {
      const job = jobAt(jobs, progress.started++);
      const ended = await play(job, stage).finally(() => progress.ended++);
      played.push(ended);
      onEnd(ended, progress.ended);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, options.parallel) }, hand));
  over = true;
  await killing;
  const faults = [...service.faults, ...(await strangers(shop, played)), ...missing(options, kills)];
  return { tasks: jobs.length, played, kills, seconds: (Date.now() - begun) / 1000, faults };
}

/** The tasks in an order of chance, as many as asked for. */
function jobsOf({ data, tasks, seed, modes }: Options): Job[] {
  const all = TASK_SETS.flatMap((set) => readTasks(data, set).map((task) => ({ set, task })));
  const chosen = shuffled(all, randomFrom(seed)).slice(0, tasks);
  return chosen.map((one, i) => ({ ...one, mode: modes[i % modes.length] as Job['mode'], key: `${one.set}-${one.task.task}` }));
}

/** Once all tasks are begun and kills are left, the tasks are begun anew. */
function jobAt(jobs: readonly Job[], i: number): Job {
  const job = jobs[i % jobs.length] as Job;
  const round = Math.floor(i / jobs.length);
  return round === 0 ? job : { ...job, key: `${job.key}-again-${round}` };
}

/** A run that no job stands behind was started twice. */
async function strangers(shop: ShopProcess, played: readonly Played[]): Promise<string[]> {
  const known = new Set(played.map(({ runId }) => runId));
  const unknown = (await shop.visitors()).filter((runId) => !known.has(runId));
  const twice = played.length - known.size;
  return [...unknown.map((runId) => `run ${runId} was not started by the campaign`), ...(twice ? [`${twice} jobs shared a run`] : [])];
}

const missing = ({ kills: wanted }: Options, kills: Kills) =>
  killsIn(kills) < wanted ? [`only ${killsIn(kills)} of ${wanted} kills were done`] : [];
