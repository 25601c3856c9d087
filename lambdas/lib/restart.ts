import { ulid } from 'ulid';
import { ProblemError } from '../../shared/errors.ts';
import type { Meta, Parent } from '../../shared/meta.ts';
import { RESTART_KEY, runKey } from '../../shared/tables.ts';
import { cannotGoOn } from './branchable.ts';
import { cancelRun } from './cancel.ts';
import { claimId } from './claims.ts';
import { startSegment } from './executions.ts';
import { createMeta, mustRead, noteRestart } from './meta-store.ts';
import { keepPinned } from './pin-store.ts';
import { agentNamed, firstMeta } from './start.ts';

/**
 * Starts a run over: as a new run of today's agent, with the same task, that knows what was done. The old one is cancelled
 * unless it is over, and the new one does nothing before it is. A run is started over once: a repeat does what is missing,
 * and returns the same new run.
 */
export async function restartRun(old: Meta, by: string): Promise<Meta> {
  const agent = agentNamed(old.agent);
  const runId = await claimId({ pk: runKey(old.runId), sk: RESTART_KEY }, ulid(), 'restart');
  const parent: Parent = { runId: old.runId, kind: 'restart', root: old.parent?.root ?? old.runId, by };
  const fresh: Meta = { ...firstMeta(runId, agent), parent };
  await keepPinned(runId, agent);
  const meta = (await createMeta(fresh)) ? fresh : await mustRead(runId);
  if (meta.status === 'erased') throw startedOverInVain(old, runId);
  const noted = await noteRestart(old.runId, runId);
  await cancelRun(old.runId, meta.parent?.by ?? by, runId);
  if (meta.segment === 1 && meta.epoch === 0) await startSegment(meta, 1);
  // The new run finds that out too, and ends.
  if (noted.status === 'erased') throw cannotGoOn(noted);
  return meta;
}

const startedOverInVain = ({ runId }: Meta, child: string) =>
  new ProblemError(409, 'Run was restarted', `Run "${runId}" was started over as run "${child}", which was erased; fork it to try again`);
