import type { Log } from '../../shared/log.ts';
import type { Meta } from '../../shared/meta.ts';
import type { Ask, Draft } from '../../shared/record.ts';
import { openAsk } from '../../shared/standing.ts';
import { appendAsk } from './append-ask.ts';
import { readLog } from './log-store.ts';
import { setStranded } from './meta-store.ts';

/**
 * Asks outside of any execution, at the end of a run's log: its code cannot, or may not, go on. The ask comes first, so that
 * a crash between the two leaves one that is found again. What is open of another kind is asked again by the code that follows.
 */
export async function strand(meta: Meta, draft: Draft<Ask>): Promise<void> {
  for (;;) {
    const log = await readLog(meta.runId);
    if (log.at(-1)?.type === 'end') return;
    const ask = openRestart(log) ?? openRestart(await appendAsk(meta, log, draft));
    // An answer to what was open may have been faster.
    if (ask) return setStranded(meta, ask);
  }
}

function openRestart(log: Log): Ask | undefined {
  const open = openAsk(log);
  return open?.kind === 'restart' ? open : undefined;
}
