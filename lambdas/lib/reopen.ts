import { goesOn } from '../../shared/decide.ts';
import { ProblemError, VersionGoneError } from '../../shared/errors.ts';
import type { Meta } from '../../shared/meta.ts';
import { endStatus } from '../../shared/record.ts';
import { giveSegmentAfter } from './executions.ts';
import { setReopened } from './meta-store.ts';

/** Whether a message opens an ended run again, as META tells it. */
export function isReopenable({ status, reason }: Pick<Meta, 'status' | 'reason'>): boolean {
  const end = endStatus.safeParse(status);
  return end.success && goesOn({ status: end.data, reason });
}

/** Has an ended run go on with a message. The execution comes first: if nothing comes after it, the message is taken in all the same. */
export async function reopen(meta: Meta, messageId: string): Promise<void> {
  await giveSegment(meta);
  await setReopened(meta.runId, messageId);
}

/** Gives a run that has ended its next segment. Throws a 409 problem when the code that it is pinned to is gone. */
async function giveSegment(meta: Meta): Promise<void> {
  try {
    await giveSegmentAfter(meta, meta.segment);
  } catch (error) {
    if (error instanceof VersionGoneError) throw new ProblemError(409, 'Version gone', error.message);
    throw error;
  }
}

/** The problem of a request that comes too late. */
export function hasEnded(meta: Meta): ProblemError {
  const { runId, status, reason, cancel } = meta;
  const is = cancel && status !== 'cancelled' ? `being cancelled by ${cancel.by}` : `${status} (${reason})`;
  const next = !cancel && status === 'failed' && isReopenable(meta) ? 'raise its budget to continue it' : 'start a new run';
  return new ProblemError(409, 'Run has ended', `Run "${runId}" is ${is}; ${next}`);
}
