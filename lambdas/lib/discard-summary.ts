import { ProblemError } from '../../shared/errors.ts';
import type { Meta } from '../../shared/meta.ts';
import type { ViewSummary } from '../../shared/view-summary.ts';
import { readLog } from './log-store.ts';
import { moveSummary } from './meta-store.ts';
import { markDiscarded, readSummaries } from './summary-store.ts';

/**
 * Throws a summary of a run away: no record changes. The view starts from the one before it, or from the task, until the next
 * model step makes another: with `again` in any case, else when the view is too large without. Throws a 404 problem, and a 409
 * one when others go on from the summary that is to be made again.
 */
export async function discardSummary(meta: Meta, seq: number, { by, again }: { by: string; again: boolean }): Promise<ViewSummary> {
  const { runId } = meta;
  const later = again ? (await readSummaries(runId)).find((each) => each.seq > seq && !each.discarded) : undefined;
  if (later)
    throw new ProblemError(
      409,
      'Not the newest summary',
      `The summary up to record ${later.seq} goes on from the one up to ${seq}; throw that away first`,
      'seq',
    );
  const discarded = await markDiscarded(runId, seq, by);
  if (!discarded)
    throw new ProblemError(
      404,
      'No such summary',
      `Run "${runId}" has no summary up to record ${seq}; its summaries say which there are`,
      'seq',
    );
  if (meta.summary && (again || meta.summary.seq === seq)) await startFrom(meta, await newest(runId), again ? seq : undefined);
  return discarded;
}

const newest = async (runId: string): Promise<ViewSummary | undefined> => (await readSummaries(runId)).findLast((each) => !each.discarded);

async function startFrom(meta: Meta, left: ViewSummary | undefined, remake: number | undefined): Promise<void> {
  const { spent, remake: wanted } = meta.summary as NonNullable<Meta['summary']>;
  const { length } = await readLog(meta.runId);
  const again = remake ?? wanted;
  const to = { seq: left?.seq ?? 0, version: left?.version ?? 0, since: length, spent };
  await moveSummary(meta, { ...to, ...(again === undefined ? {} : { remake: again }) });
}
