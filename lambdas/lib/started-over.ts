import type { Log } from '../../shared/log.ts';
import type { Meta } from '../../shared/meta.ts';
import { readLog } from './log-store.ts';
import { isEnded, mustRead } from './meta-store.ts';

/** A run that another one takes the place of. */
export interface StartedOver {
  readonly meta: Meta;
  readonly log: Log;
}

/**
 * Reads the runs that were started over on the way to a run, oldest first. None of them may be at work beside it: not even the
 * first of three, where the second was cancelled before it began.
 */
export async function startedOver(run: Pick<Meta, 'parent'>): Promise<StartedOver[]> {
  if (!run.parent) return [];
  const { runId, kind } = run.parent;
  const [meta, log] = [await mustRead(runId), kind === 'restart' ? await readLog(runId) : []];
  const before = await startedOver(meta);
  return kind === 'restart' ? [...before, { meta, log }] : before;
}

/** Tells whether a run is over, by its log too: one that goes on with a message says so there last. */
export const isOver = ({ meta, log }: StartedOver): boolean => isEnded(meta) && log.at(-1)?.type === 'end';
