import { keyOf } from '../../shared/effect.ts';
import { callsAsRun, type Log, openReply } from '../../shared/log.ts';
import type { ExecutionState } from '../../shared/machine.ts';
import { addressOf, readEffect, settle } from './ledger.ts';

/**
 * Keeps the platform's report of a dead invocation with the effects that it had begun, when a run ends with calls unanswered:
 * a run that starts it over or branches off need not wait for it.
 */
export async function noteOver(runId: string, log: Log, { failure }: ExecutionState): Promise<void> {
  const reply = openReply(log);
  const report = failure?.Cause;
  if (!reply || !report) return;
  for (const call of callsAsRun(log, reply)) {
    const address = addressOf(keyOf(runId, log, reply, call), call.tool);
    const entry = await readEffect(address);
    if (entry?.state !== 'started' || !report.includes(entry.requestId)) continue;
    await settle(address, { ...entry, state: 'unknown', error: 'its invocation ended before it was recorded' });
  }
}
