import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ShownSummary } from '../../shared/api.ts';
import { type Lane, playCrashed, playUncrashed, startLane } from '../crash/lane.ts';
import type { Played } from './drive.ts';
import { STORIES, type Story } from './stories.ts';

const story = STORIES.find(({ name }) => name === 'a summary in between') as Story;

let lane: Lane;
let played: Played;
let operations: readonly string[];
beforeAll(async () => {
  lane = await startLane();
  ({ played } = await playUncrashed(lane, story));
  operations = [...lane.striker.seen];
});
afterAll(() => lane?.stop());

const newestRun = async (): Promise<string> => {
  const { runs } = (await (await fetch(`${lane.url}/runs`)).json()) as { runs: { runId: string }[] };
  return runs[0]?.runId ?? '';
};
const summariesOf = async (runId: string): Promise<ShownSummary[]> =>
  ((await (await fetch(`${lane.url}/runs/${runId}/summaries`)).json()) as { summaries: ShownSummary[] }).summaries;

describe('a model step that is killed', () => {
  /** A summary is stored, and then META is told of it: no other step of a model puts an item just before it changes META. */
  const stored = () => operations.findIndex((name, i) => name === 'model-step PutItem' && operations[i + 1] === 'model-step UpdateItem');

  it.each([
    ['after its summary is stored', 0],
    ['after META is told of its summary', 1],
  ])('%s: loses nothing, and has the summary made but once', async (_, later) => {
    const before = await summariesOf(played.run.runId);
    expect(before.length).toBeGreaterThan(0);
    const verdict = await playCrashed(lane, story, played, stored() + later, 'after');
    expect(verdict).toMatchObject({
      duplicates: [],
      losses: [],
      point: later === 0 ? 'model-step PutItem (after)' : 'model-step UpdateItem (after)',
    });
    const after = await summariesOf(await newestRun());
    const essence = (all: ShownSummary[]) => all.map(({ seq, version, text, facts, usage }) => ({ seq, version, text, facts, usage }));
    expect(essence(after)).toEqual(essence(before));
  });
});
