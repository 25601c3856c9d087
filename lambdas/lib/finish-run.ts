import { findAgent } from '../../shared/agent.ts';
import type { Log } from '../../shared/log.ts';
import type { Meta } from '../../shared/meta.ts';
import type { End } from '../../shared/record.ts';
import { allAgents } from './agents.ts';
import { finish } from './meta-store.ts';
import { planRemoval } from './removals.ts';
import { settings } from './settings.ts';

const DAY_MS = 24 * 3600_000;

/**
 * Gives a run its end status, and a time at which it is removed where it is not kept for good. META was read before the log was,
 * or before its end was appended. Returns false as `finish` does.
 */
export async function finishRun(meta: Meta, end: End, log: Log): Promise<boolean> {
  const [first] = log;
  const days = keptDays(first?.type === 'task' ? first.agent : '');
  if (days === undefined) return finish(meta, end, log);
  const due = Math.round(Date.now() + days * DAY_MS);
  // Before it is noted: what is planned and not noted is dropped, what is noted and not planned would stay.
  await planRemoval({ runId: meta.runId, due });
  return finish(meta, end, log, due);
}

/** How long a run is kept after its end: what its agent says, else the deployment; for good when neither says. */
const keptDays = (agent: string): number | undefined => findAgent(allAgents, agent)?.retention?.afterDays ?? settings().retentionDays;
