import { lineageLedger } from '../../shared/lineage.ts';
import type { Log } from '../../shared/log.ts';
import type { Meta, Parent } from '../../shared/meta.ts';
import { restartFacts, restartFiles } from '../../shared/restart-facts.ts';
import { ancestorsOf } from './ancestors.ts';
import { closeTurn } from './close-turn.ts';
import { unreadMessages } from './inbox.ts';
import { append } from './log-store.ts';
import { noteRestart, requestCancel, setWait } from './meta-store.ts';
import { isOver, type StartedOver, startedOver } from './started-over.ts';

/** Between two looks whether the run before is over, ms: the longer it takes, the rarer. */
const lookAgain = ({ createdAt }: Meta): number => Math.min(15_000, Math.max(1_000, (Date.now() - createdAt) / 2));

/**
 * Writes the first record of a run that starts another over, once that one is over: the task, with what is known of the run before.
 * Until then it waits. One whose run before was erased is cancelled. Returns the log.
 */
export async function beginRestart(meta: Meta): Promise<Log> {
  const { runId, by } = meta.parent as Parent;
  const parent = await noteRestart(runId, meta.runId);
  // Erased before it could be told that it is needed: nothing is left to start over.
  if (parent.status === 'erased') return cancelledBy(meta, `the erasure of run ${runId}`);
  const before = await startedOver(meta);
  // One that is cancelled already needs no more than its task.
  if (meta.cancel) return append(meta.runId, [], taskOf(meta, before));
  const open = before.find((each) => !isOver(each));
  if (!open) return begin(meta, before);
  if (!parent.cancel) await requestCancel(runId, by, meta.runId);
  await setWait(meta, Date.now() + lookAgain(meta), `waits until run ${open.meta.runId} is over`, true);
  return [];
}

/** Ends a run that has not begun: the cancel is noted first, so that nothing is done for its empty task. */
async function cancelledBy(meta: Meta, by: string): Promise<Log> {
  await requestCancel(meta.runId, by);
  return append(meta.runId, [], taskOf(meta, []));
}

async function begin(meta: Meta, before: readonly StartedOver[]): Promise<Log> {
  for (const each of before) await closeTurn(each.meta, each.log);
  const ancestors = await ancestorsOf(meta);
  const effects = lineageLedger(
    [],
    ancestors.map((each) => each.effects),
  );
  const last = before.at(-1) as StartedOver;
  const unread = await unreadMessages(last.meta.runId, last.log);
  const logs = before.map(({ log }) => log);
  const facts = restartFacts(last.meta.runId, logs, effects, unread);
  const files = restartFiles(logs, unread);
  return append(meta.runId, [], { ...taskOf(meta, before), facts, ...(files.length > 0 ? { files } : {}) });
}

function taskOf({ agent }: Meta, before: readonly StartedOver[]) {
  const first = before.flatMap(({ log }) => log[0] ?? []).at(0);
  return { type: 'task', agent, input: first?.type === 'task' ? first.input : null } as const;
}
