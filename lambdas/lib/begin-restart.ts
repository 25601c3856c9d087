import { lineageLedger } from '../../shared/lineage.ts';
import type { Log } from '../../shared/log.ts';
import type { Meta, Parent } from '../../shared/meta.ts';
import type { RunRecord } from '../../shared/record.ts';
import { restartFacts } from '../../shared/restart-facts.ts';
import { ancestorsOf } from './ancestors.ts';
import { closeTurn } from './close-turn.ts';
import { unreadMessages } from './inbox.ts';
import { append, readLog } from './log-store.ts';
import { isEnded, noteRestart, requestCancel, setWait } from './meta-store.ts';

/** Between two looks whether the run before is over, ms: the longer it takes, the rarer. */
const lookAgain = ({ createdAt }: Meta): number => Math.min(15_000, Math.max(1_000, (Date.now() - createdAt) / 2));

/**
 * Writes the first record of a run that starts another over, once that one is over: the task, with what is known of the run before.
 * Until then it waits. Returns the log.
 */
export async function beginRestart(meta: Meta): Promise<Log> {
  const { runId, by } = meta.parent as Parent;
  const before = await noteRestart(runId, meta.runId);
  const log = await readLog(runId);
  // One that is cancelled already needs no more than its task.
  if (meta.cancel) return append(meta.runId, [], taskOf(meta, log));
  if (isEnded(before) && log.at(-1)?.type === 'end') return begin(meta, before, log);
  if (!before.cancel) await requestCancel(runId, by, meta.runId);
  await setWait(meta, Date.now() + lookAgain(meta), `waits until run ${runId} is over`, true);
  return [];
}

async function begin(meta: Meta, before: Meta, log: Log): Promise<Log> {
  await closeTurn(before, log);
  const ancestors = await ancestorsOf(meta);
  const effects = lineageLedger(
    [],
    ancestors.map((each) => each.effects),
  );
  const unread = await unreadMessages(before.runId, log);
  const facts = restartFacts(
    before.runId,
    log,
    effects,
    unread.map(({ text }) => text),
  );
  return append(meta.runId, [], { ...taskOf(meta, log), facts });
}

function taskOf({ agent }: Meta, log: readonly RunRecord[]) {
  const first = log[0];
  return { type: 'task', agent, input: first?.type === 'task' ? first.input : null } as const;
}
