import { z } from 'zod';
import { isOverdue } from '../shared/decide.ts';
import { executionState } from '../shared/machine.ts';
import { wake } from './lib/executions.ts';
import { readLog, readRecord } from './lib/log-store.ts';
import { readMeta, setWaiting } from './lib/meta-store.ts';
import { notify } from './lib/notify.ts';
import { keepWait } from './lib/waits.ts';

const event = executionState.extend({ token: z.string() });

/**
 * Keeps the task token of an open ask. The token is kept before the log is looked at, and an answer is recorded before
 * the token is used: whichever comes second wakes the execution.
 */
export async function handler(input: unknown): Promise<void> {
  const { runId, cursor, segment, token } = event.parse(input);
  if (!(await keepWait(runId, cursor, segment, token))) return wake(token);
  const [asked, next, meta] = await Promise.all([readRecord(runId, cursor), readRecord(runId, cursor + 1), readMeta(runId)]);
  if (asked?.type !== 'ask' || next || !meta || meta.cancel || meta.segment !== segment || isOverdue(asked, Date.now())) return wake(token);
  await setWaiting(meta, asked);
  await notify(meta, await readLog(runId), asked);
}
