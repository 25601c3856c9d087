import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import type { RunSummary } from '../../shared/api.ts';
import { judge } from '../runs/judge.ts';
import { STORIES, type Story } from '../runs/stories.ts';
import { apiClient } from '../support/api-client.ts';
import type { Tried } from './check.ts';
import { type Caller, callsAfter, lastCall, type Stage } from './stage.ts';
import type { Baselines } from './stories.ts';
import { inBoth, KILLS, MissedError, nameOf, numbered, type Strike, strikesAt } from './strike.ts';
import type { Slice } from './strikes.ts';

/** Stories that are played by hand, move by move. */

/** The consent of a story. */
export const CONSENT = { by: 'Ada', decision: 'approve' };

/** Starts a run in an untouched world. */
export function begin(stage: Stage, agent: string, input: Parameters<ReturnType<typeof apiClient>['start']>[1]): Promise<string> {
  stage.world.applied.length = 0;
  return apiClient(stage.url).start(agent, input);
}

/** Waits until a run looks as it should. */
export async function seen(stage: Stage, runId: string, fits: (run: RunSummary) => boolean): Promise<RunSummary> {
  for (const end = Date.now() + SEEN_MS; ; await setTimeout(20)) {
    const run = await apiClient(stage.url).show(runId);
    if (fits(run)) return run;
    assert(Date.now() < end, `the run is ${run.status} (${run.reason}) in segment ${run.segment}`);
  }
}

const SEEN_MS = 30_000;

/** The run of a story must come to the end that it has on the local runner. */
export async function endsWell(stage: Stage, baselines: Baselines, runId: string, name: string): Promise<void> {
  const run = await seen(stage, runId, ({ status }) => status !== 'running' && status !== 'waiting');
  const played = { run, records: await apiClient(stage.url).records(runId), asked: 0 };
  const story = STORIES.find((each) => each.name === name) as Story;
  const { duplicates, losses } = judge(story, played, stage.world.applied, baselines.get(name) ?? played);
  assert.deepEqual([...duplicates, ...losses], []);
}

/** Does something twice, and again with a kill at each of the operations that a function made. */
export async function atEveryKill(stage: Stage, by: Caller, slice: Slice, attempt: (strike?: Strike) => Promise<void>): Promise<Tried> {
  const pointsOfOne = async () => {
    const since = await lastCall(stage);
    await attempt();
    await stage.simulator.tell('DELETE', 'faults');
    return numbered(await callsAfter(stage, since));
  };
  const all = strikesAt(inBoth(await pointsOfOne(), await pointsOfOne()), [by], KILLS);
  assert(all.length > 0, `no operation of "${by}" was seen`);
  const strikes = all.filter((strike) => slice(nameOf(strike)));
  const missed: string[] = [];
  for (const strike of strikes) {
    await attempt(strike).catch((error: Error) => {
      if (!(error instanceof MissedError)) assert.fail(`${nameOf(strike)}: ${error.message}`);
      missed.push(nameOf(strike));
    });
    await stage.simulator.tell('DELETE', 'faults');
  }
  return { tried: strikes.length + 2, missed };
}
