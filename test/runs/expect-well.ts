import { expect } from 'vitest';
import type { Played } from './drive.ts';
import type { Faults } from './judge.ts';
import type { Story } from './stories.ts';

/** A story that nothing disturbed has no faults, and asks nothing that is not part of it. */
export function expectWell(story: Story, played: Played, { duplicates, losses }: Faults): void {
  expect({ duplicates, losses }).toEqual({ duplicates: [], losses: [] });
  expect(played.asked).toBe(story.asks ? 1 : 0);
  if (story.agent === 'long-story') expect(played.run.summarizedTo).toBeGreaterThan(1);
}
