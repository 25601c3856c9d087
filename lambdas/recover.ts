import * as z from 'zod';
import { UnreadableItemError } from '../shared/errors.ts';
import { executionState } from '../shared/machine.ts';
import type { Meta } from '../shared/meta.ts';
import { goOn, goOnByLog } from './lib/go-on.ts';
import { machineHandler } from './lib/handler.ts';
import { readLog, recordOf } from './lib/log-store.ts';
import { countRecovery, isEnded, readMeta, setInterrupted, vouchOver } from './lib/meta-store.ts';

/** From the machine's own `Continue` state. */
const continued = z.object({ source: z.literal('continue'), runId: z.string(), segment: z.int(), cursor: z.int().optional() });
/** From a host that starts: it has made sure that no earlier invocation is left. */
const restarted = z.object({ source: z.literal('host'), runId: z.string(), workersEnded: z.boolean() });
/** From EventBridge: an execution FAILED, TIMED_OUT or was ABORTED. */
const stopped = z.object({ 'detail-type': z.string(), detail: z.object({ status: z.string(), input: z.string() }) });

/** Segments that the platform may lose in a row, without one step begun, before a person is needed. */
const MAX_RECOVERIES = 5;

/** Gives an unfinished run its next segment. Doing it twice changes nothing: the segment number decides. */
export const handler = machineHandler(recover);

async function recover(event: unknown): Promise<void> {
  const direct = z.union([continued, restarted]).safeParse(event);
  if (!direct.success) return afterStop(stopped.parse(event).detail);
  const meta = await readMeta(direct.data.runId);
  if (!meta || isEnded(meta)) return;
  if (direct.data.source === 'host') return afterRestart(meta, direct.data.workersEnded);
  if (meta.segment <= direct.data.segment) await afterContinue(meta, direct.data);
}

/**
 * Only an answer can have put a run on other code, or have it restarted: where a step ends a segment after any other record,
 * its log is not read. So what a segment costs does not grow with the run.
 */
async function afterContinue(meta: Meta, { segment, cursor }: z.infer<typeof continued>): Promise<void> {
  const last = cursor === undefined ? undefined : await recordOf(meta, cursor);
  const isPlain = last !== undefined && last.type !== 'answer' && last.type !== 'ask';
  await (isPlain ? goOn : goOnByLog)(meta, segment);
}

async function afterRestart(meta: Meta, workersEnded: boolean): Promise<void> {
  if (workersEnded) await vouchOver(meta.runId);
  await goOn(meta, meta.segment);
}

async function afterStop({ status, input }: { status: string; input: string }): Promise<void> {
  const { runId, segment } = executionState.parse(JSON.parse(input));
  const meta = await readMeta(runId);
  if (!meta || isEnded(meta) || meta.segment > segment) return;
  const unreadable = await faultOfLog(runId);
  if (unreadable) return setInterrupted(meta, `${unreadable}; mend it, then resume the run`);
  if (meta.recoveries >= MAX_RECOVERIES) {
    const last = `The last ${MAX_RECOVERIES} segments ended ${status} before a step began`;
    return setInterrupted(meta, `${last}; look at the functions' logs, then resume the run`);
  }
  await countRecovery(runId);
  await goOnByLog(meta, segment);
}

/** Says what is wrong with a log that cannot be read: another segment would not get further. */
const faultOfLog = (runId: string): Promise<string | undefined> =>
  readLog(runId).then(
    () => undefined,
    (error: Error) => (error instanceof UnreadableItemError ? error.message : undefined),
  );
