import { callsAsRun } from '../../shared/log.ts';
import type { Hidden } from './hide.ts';
import { readLog, readRecord } from './log-store.ts';
import { readSecrets } from './secret-store.ts';

/**
 * Reads what must not show in what is said of a call from outside. Undefined for a call that has no secrets; without `secrets`
 * where they are not kept any more.
 */
export async function hiddenOf(runId: string, seq: number, index: number): Promise<Hidden | undefined> {
  const reply = await readRecord(runId, seq);
  const made = reply?.type === 'reply' ? reply.calls[index] : undefined;
  if (reply?.type !== 'reply' || !made || !(made.secrets ?? made.secretOutput)) return undefined;
  const call = callsAsRun(await readLog(runId), reply)[index] ?? made;
  const secrets = await readSecrets(runId, seq, call);
  return { call, ...(secrets ? { secrets } : {}) };
}
