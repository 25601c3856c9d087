import { ProblemError } from '../../shared/errors.ts';
import type { Meta } from '../../shared/meta.ts';
import type { ViewSummary } from '../../shared/view-summary.ts';
import { isBranchable } from './branchable.ts';
import { readLog } from './log-store.ts';
import { moveSummary, mustRead } from './meta-store.ts';
import { markDiscarded, newestSummary, readSummaries } from './summary-store.ts';

/** Who throws a summary away, and whether another is wanted in its place. */
interface Discarding {
  readonly by: string;
  readonly again: boolean;
  /** Which of the summaries at that seq is meant; where it is not said, the one that is there now. */
  readonly version?: number | undefined;
}

/**
 * Throws the newest summary of a run away: no record changes. The view starts from the one before it, or from the task, until the
 * next model step makes another: with `again` in any case, else when the view is too large without. A repeat for a version that
 * has gone already changes nothing. Throws a 404 problem, and 409 ones when others go on from that summary, and when the run is
 * here only to be looked at.
 */
export async function discardSummary(meta: Meta, seq: number, how: Discarding): Promise<ViewSummary> {
  const { runId, status } = meta;
  if (!isBranchable(meta)) throw new ProblemError(409, 'Run cannot go on', `Run "${runId}" was ${status}: nothing of it changes any more`);
  const [there] = seq > 0 ? await readSummaries(runId, seq - 1, seq) : [];
  const { version = there?.version ?? 0 } = how;
  if (!there || there.version < version) throw noSuch(runId, seq);
  const newest = await newestSummary(runId);
  const goesOn = newest !== undefined && newest.seq > seq;
  if (there.version > version || (goesOn && there.discarded && how.version !== undefined)) return there;
  if (goesOn) throw notTheNewest(newest, seq);
  const discarded = await markDiscarded(runId, there, how.by);
  const isMoved = discarded && (!meta.summary || !(how.again || meta.summary.seq === seq) || (await startBefore(meta, seq, how)));
  return isMoved ? discarded : discardSummary(await mustRead(runId), seq, { ...how, version });
}

const noSuch = (runId: string, seq: number) =>
  new ProblemError(404, 'No such summary', `Run "${runId}" has no summary up to record ${seq}; its summaries say which there are`, 'seq');

const notTheNewest = (newest: ViewSummary, seq: number) =>
  new ProblemError(
    409,
    'Not the newest summary',
    `What came after the summary up to record ${seq} was made from it; throw the newest away first, the one up to record ${newest.seq}`,
    'seq',
  );

/** Has the view start from the newest summary that is left. Returns false when a step moved its start meanwhile. */
async function startBefore(meta: Meta, seq: number, { again }: Discarding): Promise<boolean> {
  const left = await newestSummary(meta.runId);
  const { length } = await readLog(meta.runId);
  return moveSummary(meta, { seq: left?.seq ?? 0, version: left?.version ?? 0, since: length, ...(again ? { remake: seq } : {}) });
}
