import type { RunRecord } from '../../shared/record.ts';
import { playUncrashed, startLane } from '../crash/lane.ts';
import { judge } from '../runs/judge.ts';
import { STORIES, type Story } from '../runs/stories.ts';
import type { Finding } from './finding.ts';
import type { Stage } from './stage.ts';
import { play } from './strike.ts';

/** How each story goes on the local runner. */
export type Baselines = ReadonlyMap<string, { readonly records: readonly RunRecord[] }>;

/** Plays stories on the local runner. */
export async function playLocally(stories: readonly Story[]): Promise<Baselines> {
  const lane = await startLane({ sweeps: true });
  try {
    const played: [string, { records: readonly RunRecord[] }][] = [];
    for (const story of stories) played.push([story.name, (await playUncrashed(lane, story)).played]);
    return new Map(played);
  } finally {
    await lane.stop();
  }
}

/** Plays each story once: it must end as on the local runner, record by record. */
export async function* playStories(stage: Stage, baselines: Baselines): AsyncGenerator<Finding> {
  for (const story of STORIES.filter(({ name }) => baselines.has(name))) {
    const faults = await faultsOf(stage, story, baselines).catch((error: Error) => [error.message]);
    yield { section: 'stories', name: story.name, tried: 1, asked: story.asks ? 1 : 0, faults };
  }
}

async function faultsOf(stage: Stage, story: Story, baselines: Baselines): Promise<string[]> {
  const { played } = await play(stage, story);
  const { duplicates, losses } = judge(story, played, stage.world.applied, baselines.get(story.name) ?? played);
  const asked = story.asks ? 1 : 0;
  return [
    ...duplicates,
    ...losses,
    ...(played.asked === asked ? [] : [`it asked about ${played.asked} open outcomes instead of ${asked}`]),
    ...(stage.smallSegments && story.name === 'several segments' && played.run.segment === 1 ? ['it stayed in one segment'] : []),
  ];
}
