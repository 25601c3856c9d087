import type { Meta } from '../../shared/meta.ts';
import { NOTHING_SPENT } from '../../shared/spent.ts';
import { tokensOf } from '../../shared/tokens.ts';
import type { ViewLimits } from '../../shared/view-limits.ts';
import type { ViewSummary } from '../../shared/view-summary.ts';
import { mustRead } from './meta-store.ts';
import { newestSummary, putSummary, readSummaries } from './summary-store.ts';

/** The fork, the run that it branches off from, and the last record that they share. */
interface Branching {
  readonly runId: string;
  readonly parent: Pick<Meta, 'runId' | 'parent'>;
  readonly at: number;
  readonly limits: ViewLimits;
}

/**
 * Gives a fork the newest summary of its lineage that is over records it shares, so that these are not summed up and paid again.
 * Returns where its view starts: what the provider counted for a shared reply is not taken for a count of that view.
 */
export async function inheritSummary({ runId, parent, at, limits }: Branching): Promise<NonNullable<Meta['summary']>> {
  const found = await summaryWithin(parent, at);
  if (!found || !isShort(found, limits)) return { seq: 0, version: 0, since: at, spent: NOTHING_SPENT };
  const { seq, version } = await putSummary(runId, { ...found, version: 1, spent: NOTHING_SPENT });
  return { seq, version, since: at, spent: NOTHING_SPENT };
}

/**
 * The newest summary over no more than so many records. One who has none, thrown away ones neither, may be a fork itself, whose
 * own parent has one; what a run has thrown away is not taken from another.
 */
async function summaryWithin({ runId, parent }: Branching['parent'], at: number): Promise<ViewSummary | undefined> {
  if ((await readSummaries(runId, 0, at)).length > 0) return newestSummary(runId, at + 1);
  if (parent?.at === undefined) return undefined;
  return summaryWithin(await mustRead(parent.runId), Math.min(at, parent.at));
}

/** The fork may be held to a smaller view than its parent was. */
const isShort = ({ text, facts }: ViewSummary, { atTokens }: ViewLimits): boolean => tokensOf(text) + tokensOf(facts) <= atTokens / 4;
