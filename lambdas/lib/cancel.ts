import type { Meta } from '../../shared/meta.ts';
import { goOn } from './go-on.ts';
import { requestCancel } from './meta-store.ts';
import { wakeAsk } from './waits.ts';

/**
 * Has an unfinished run cancelled, to start it over as the run `restart` or for good: at once when it waits, else after the call
 * that is under way. Returns undefined when it is over.
 */
export async function cancelRun(runId: string, by: string, restart?: string): Promise<Meta | undefined> {
  const asked = await requestCancel(runId, by, restart);
  const woken = asked?.waiting && (await wakeAsk(runId, asked.waiting.seq));
  if (asked && (woken === false || asked.waitUntil > Date.now() || asked.status === 'interrupted')) await goOn(asked);
  return asked;
}
