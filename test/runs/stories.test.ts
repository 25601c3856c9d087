import { afterAll, beforeAll, it } from 'vitest';
import { type Lane, playUncrashed, startLane } from '../crash/lane.ts';
import { expectWell } from './expect-well.ts';
import { STORIES } from './stories.ts';

// In segments of a few turns they are all played where the calls of functions are compared with their roles.
let lane: Lane;
beforeAll(async () => {
  lane = await startLane({ sweeps: true });
});
afterAll(() => lane?.stop());

it.each(STORIES.map((story) => [story.name, story] as const))('%s', async (_, story) => {
  const { verdict, played } = await playUncrashed(lane, story);
  expectWell(story, played, verdict);
});
