import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Lane, playUncrashed, startLane } from '../crash/lane.ts';
import { STORIES } from './stories.ts';

describe.each([{ smallSegments: false }, { smallSegments: true }])('stories with smallSegments $smallSegments', (options) => {
  let lane: Lane;
  beforeAll(async () => {
    lane = await startLane({ ...options, sweeps: true });
  });
  afterAll(() => lane?.stop());

  it.each(STORIES.map((story) => [story.name, story] as const))('%s', async (_, story) => {
    const { verdict, played } = await playUncrashed(lane, story);
    expect(verdict).toMatchObject({ duplicates: [], losses: [] });
    expect(played.asked).toBe(story.asks ? 1 : 0);
    if (story.agent === 'long-story') expect(played.run.summarizedTo).toBeGreaterThan(1);
    if (options.smallSegments && story.name === 'several segments') {
      expect(played.run.segment).toBeGreaterThan(1);
      // A step that only ended a segment has tried nothing.
      expect(played.records.flatMap((record) => (record.type === 'reply' ? [record.attempts] : []))).not.toContain(2);
    }
  });
});
