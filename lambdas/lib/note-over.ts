import { type Log, openReply } from '../../shared/log.ts';
import type { ExecutionState } from '../../shared/machine.ts';
import { callAddress, readEffects, settle } from './ledger.ts';

/**
 * Keeps the platform's report of a dead invocation with the effects that it had begun, when a run ends with calls unanswered:
 * a run that starts it over or branches off need not wait for it.
 */
export async function noteOver(runId: string, log: Log, { failure }: ExecutionState): Promise<void> {
  const reply = openReply(log);
  const report = failure?.Cause;
  if (!reply || !report) return;
  for (const [index, entry] of await readEffects(runId, reply.seq)) {
    if (entry.state !== 'started' || !report.includes(entry.requestId)) continue;
    await settle(callAddress(runId, reply.seq, index), {
      ...entry,
      state: 'unknown',
      error: 'its invocation ended before it was recorded',
    });
  }
}
