import type { EffectRecord } from '../../shared/effect.ts';
import { callsAsRun, type Log, openReply } from '../../shared/log.ts';
import type { Meta } from '../../shared/meta.ts';
import { type Call, type Reply, SCHEMA_VERSION } from '../../shared/record.ts';
import { effectKey } from '../../shared/tables.ts';
import { callAddress, claim } from './ledger.ts';

/**
 * Fences the calls that the last turn of an ended run left unanswered: an invocation that is still about to begin one finds
 * the ledger entry there, and does not. What has begun stays as it is.
 */
export async function closeTurn(meta: Meta, log: Log): Promise<void> {
  const reply = openReply(log.slice(0, log.at(-1)?.type === 'end' ? -1 : undefined));
  const writes = reply ? callsAsRun(log, reply).filter((call) => call.class !== 'read' && call.invalid === undefined) : [];
  for (const call of writes)
    await claim(callAddress(meta.runId, (reply as Reply).seq, call.index), closed(meta, reply as Reply, call), undefined);
}

function closed({ runId, epoch }: Meta, { seq }: Reply, { index, tool, class: effect, inputHash }: Call): EffectRecord {
  const now = Date.now();
  const key = effectKey(runId, seq, index);
  const outcome = { state: 'failed', ok: false, output: 'Not run: the run was over' } as const;
  const owner = { runId, epoch: epoch + 1, requestId: 'closed' };
  return {
    v: SCHEMA_VERSION,
    key,
    call: key,
    tool,
    class: effect,
    inputHash,
    ...owner,
    ...outcome,
    attempts: 1,
    seen: seq,
    startedAt: now,
    deadline: now,
  };
}
