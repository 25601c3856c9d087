import { cancelled } from '../../shared/decide.ts';
import { VersionGoneError } from '../../shared/errors.ts';
import { hasSecrets } from '../../shared/has-secrets.ts';
import type { Meta } from '../../shared/meta.ts';
import type { End } from '../../shared/record.ts';
import { giveSegmentAfter } from './executions.ts';
import { finishRun } from './finish-run.ts';
import { append, readLog } from './log-store.ts';
import { requestCancel } from './meta-store.ts';
import { forgetSecrets } from './secret-store.ts';
import { wakeAsk } from './waits.ts';

/**
 * Has an unfinished run cancelled, to start it over as the run `restart` or for good: at once when it waits, else after the call
 * that is under way. Returns undefined when it is over.
 */
export async function cancelRun(runId: string, by: string, restart?: string): Promise<Meta | undefined> {
  const asked = await requestCancel(runId, by, restart);
  if (asked?.waiting) await wakeAsk(runId, asked.waiting.seq);
  if (asked && (asked.waitUntil > Date.now() || asked.status === 'interrupted')) await endStep(asked);
  return asked;
}

/** Has a step end the run; where its code is gone, no step can. */
async function endStep(meta: Meta): Promise<void> {
  try {
    await giveSegmentAfter(meta, meta.segment);
  } catch (error) {
    if (!(error instanceof VersionGoneError)) throw error;
    const { by = 'somebody', restart } = meta.cancel ?? {};
    const ended = await append(meta.runId, await readLog(meta.runId), cancelled(by, restart).draft);
    if (hasSecrets(ended)) await forgetSecrets(meta.runId);
    if (ended.at(-1)?.type === 'end') await finishRun(meta.runId, ended.at(-1) as End, ended);
  }
}
