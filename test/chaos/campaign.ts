import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DATA_VARIABLE } from '../../agents/tau-retail/data.ts';
import { SHOP_VARIABLE } from '../../agents/tau-retail/shop-client.ts';
import { apiAt } from './api.ts';
import type { Deployment, DeploymentOptions } from './deployment.ts';
import { startHostProcess } from './host-process.ts';
import { jobAt, jobsOf } from './jobs.ts';
import { type Killer, type Kills, killsIn, type Progress, startKiller } from './killer.ts';
import type { Options } from './options.ts';
import { type Played, play, type Stage } from './play.ts';
import { randomFrom } from './random.ts';
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

/** Told of every run that ended, and how many have. */
export type OnEnd = (played: Played, ended: number) => void;

/** How the service is started. */
export type Start = (options: DeploymentOptions) => Promise<Deployment>;

/** Does the tasks while processes of the service, and the service itself where it is one, are killed; then compares with the truth. */
export async function runCampaign(options: Options, onEnd: OnEnd = () => {}, start: Start = startHostProcess): Promise<Findings> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-chaos-'));
  const data = resolve(options.data);
  await using cleaning = new AsyncDisposableStack();
  cleaning.defer(() => {
    if (options.keep) console.log(`Everything is kept in ${folder}`);
    else rmSync(folder, { recursive: true, force: true });
  });
  const shop = cleaning.adopt(await startShopProcess(data, folder, options.holdMs), (started) => started.stop());
  const environment = { [DATA_VARIABLE]: data, [SHOP_VARIABLE]: shop.url };
  const { eventLimit } = options;
  const deployment = cleaning.adopt(await start({ folder, environment, eventLimit }), (started) => started.stop());
  const begun = Date.now();
  const jobs = jobsOf({ ...options, data });
  const progress: Progress = { total: jobs.length, started: 0, ended: 0 };
  const killer = startKiller(options.kills, deployment, progress, randomFrom(options.seed));
  const api = apiAt(deployment.url);
  const played = await playAll({ api, shop, watcher: watcherOf(api) }, options.parallel, progress, killer, (i) => jobAt(jobs, i), onEnd);
  killer.stop();
  await killer.done;
  const faults = [...deployment.faults, ...(await strangers(shop, played)), ...missing(options.kills, killer.kills)];
  return { tasks: jobs.length, played, kills: killer.kills, seconds: (Date.now() - begun) / 1000, faults };
}

/** Plays every job, and goes on with more as long as there are kills to come. */
async function playAll(
  stage: Stage,
  parallel: number,
  progress: Progress,
  killer: Killer,
  jobOf: (number: number) => ReturnType<typeof jobAt>,
  onEnd: OnEnd,
): Promise<Played[]> {
  const played: Played[] = [];
  const hand = async () => {
    while (progress.started < progress.total || !killer.isDone()) {
      const one = await play(jobOf(progress.started++), stage);
      played.push(one);
      onEnd(one, ++progress.ended);
    }
  };
  await Promise.all(Array.from({ length: parallel }, hand));
  return played;
}

/** A run that no job stands behind was started twice, and so were jobs that share one. */
async function strangers(shop: ShopProcess, played: readonly Played[]): Promise<string[]> {
  const known = new Set(played.map(({ runId }) => runId));
  const unknown = (await shop.visitors()).filter((runId) => !known.has(runId));
  const shared = played.length - known.size;
  return [...unknown.map((runId) => `run ${runId} was not started by the campaign`), ...(shared ? [`${shared} jobs share a run`] : [])];
}

const missing = (wanted: number, kills: Kills) => (killsIn(kills) < wanted ? [`only ${killsIn(kills)} of ${wanted} kills were done`] : []);
