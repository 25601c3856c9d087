import { judge } from '../runs/judge.ts';
import { STORIES, type Story } from '../runs/stories.ts';
import type { Finding } from './finding.ts';
import { mailFaults } from './mails.ts';
import type { Caller, Stage } from './stage.ts';
import type { Baselines } from './stories.ts';
import { type Fault, MissedError, nameOf, play, pointsOf, type Staged, type Strike, strikesAt } from './strike.ts';

/** Which faults are tried where. */
export interface Campaign {
  readonly section: string;
  readonly stories: readonly string[];
  readonly callers: readonly Caller[];
  readonly faults: readonly Fault[];
  /** Only where few turns fit into a segment; else each of the two stages takes half of the points. */
  readonly smallSegments?: true;
}

/** Whether something with a name is to be tried at all. */
export type Slice = (name: string) => boolean;

/** Plays stories with a fault at every point, one at a time: each must end as without it, each effect once or asked about. */
export async function* strikeStories(stage: Stage, campaign: Campaign, baselines: Baselines, slice: Slice): AsyncGenerator<Finding> {
  const { section, callers, faults } = campaign;
  if (campaign.smallSegments && !stage.smallSegments) return;
  for (const story of STORIES.filter(({ name }) => campaign.stories.includes(name) && baselines.has(name))) {
    const all = strikesAt(await pointsOf(stage, story), callers, faults);
    const mine = all.filter((_, i) => campaign.smallSegments || (i % 2 === 0) === stage.smallSegments);
    const chosen = mine.filter((strike) => slice(`${section} ${story.name} ${nameOf(strike)}`));
    const verdicts: Verdict[] = [];
    for (const strike of chosen) verdicts.push(await verdictOn(stage, story, strike, baselines));
    const asked = verdicts.reduce((sum, each) => sum + each.asked, 0);
    const missed = verdicts.flatMap((each) => each.missed ?? []);
    yield { section, name: story.name, tried: chosen.length, asked, missed, faults: verdicts.flatMap((each) => each.faults) };
  }
}

interface Verdict {
  readonly asked: number;
  readonly faults: readonly string[];
  /** The point that no play came to. */
  readonly missed?: string;
}

async function verdictOn(stage: Stage, story: Story, strike: Strike, baselines: Baselines): Promise<Verdict> {
  const named = (faults: readonly string[]) => faults.map((fault) => `${nameOf(strike)}: ${fault}`);
  try {
    const { played } = await patiently(() => play(stage, story, strike));
    const { duplicates, losses } = judge(story, played, stage.world.applied, baselines.get(story.name) ?? played);
    return { asked: played.asked, faults: named([...duplicates, ...losses, ...(await mailFaults(stage, played.run.runId))]) };
  } catch (error) {
    if (error instanceof MissedError) return { asked: 0, faults: [], missed: nameOf(strike) };
    return { asked: 0, faults: named([(error as Error).message]) };
  }
}

/** Tries again, twice, when a play did not come to its point. */
async function patiently(playing: () => Promise<Staged>, left = 2): Promise<Staged> {
  return playing().catch((error: unknown) => {
    if (!(error instanceof MissedError) || left === 0) throw error;
    return patiently(playing, left - 1);
  });
}
