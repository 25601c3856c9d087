import { isDeepStrictEqual } from 'node:util';
import type { RunRecord } from '../../shared/record.ts';
import { faultsOf, shapeOf } from '../crash/shape.ts';
import type { Played } from './drive.ts';
import type { Story } from './stories.ts';
import type { World } from './world.ts';

/** What is wrong with how a story ended, in words. */
export interface Faults {
  readonly duplicates: string[];
  readonly losses: string[];
}

/** Compares how a story ended with what it promises, and its log with that of another play, whatever machine that was on. */
export function judge(
  story: Story,
  played: Played,
  applied: World['applied'],
  baseline: { readonly records: readonly RunRecord[] },
): Faults {
  const counts = Map.groupBy(applied, ({ name }) => name);
  const names = new Set([...Object.keys(story.effects), ...counts.keys()]);
  const compared = [...names].map((name) => ({ name, times: counts.get(name)?.length ?? 0, wanted: story.effects[name] ?? 0 }));
  const losses = [
    ...faultsOf(played.records),
    ...compared
      .filter(({ times, wanted }) => times < wanted)
      .map((each) => `${each.name} took effect ${each.times} times of ${each.wanted}`),
  ];
  if (story.end === 'erased' && (played.records.length > 0 || played.run.erased?.doneAt === undefined))
    losses.push(`it is not wholly erased: ${JSON.stringify(played.run.erased)}`);
  if (played.run.status !== story.end) losses.push(`it ended ${played.run.status} (${played.run.reason}) and not ${story.end}`);
  const sameLog =
    story.end === 'cancelled' || story.end === 'erased' || isDeepStrictEqual(shapeOf(played.records), shapeOf(baseline.records));
  if (!sameLog) losses.push(`its log differs: ${JSON.stringify(shapeOf(played.records))}`);
  const duplicates = compared
    .filter(({ times, wanted }) => times > wanted)
    .map((each) => `${each.name} took effect ${each.times} times instead of ${each.wanted}`);
  return { duplicates, losses };
}
