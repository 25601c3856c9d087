import * as z from 'zod';
import { ErasedError } from '../shared/errors.ts';
import { executionState } from '../shared/machine.ts';
import { isOverdue } from '../shared/standing.ts';
import { readAsk } from './lib/ask-store.ts';
import { deliverCallbacks } from './lib/callbacks.ts';
import { wake } from './lib/executions.ts';
import { machineHandler } from './lib/handler.ts';
import { readLog, readRecord } from './lib/log-store.ts';
import { readMeta, setWaiting } from './lib/meta-store.ts';
import { notify } from './lib/notify.ts';
import { keepWait } from './lib/waits.ts';

const event = executionState.extend({ token: z.string() });

/** Notices that are not begun after this are left to the sweep, ms: the last has time to end within the function's limit. */
const NOTIFYING_MS = 12_000;

/**
 * Keeps the task token of an open ask. The token is kept before the log is looked at, and an answer is recorded before
 * the token is used: whichever comes second wakes the execution.
 */
export const handler = machineHandler(ask);

async function ask(input: unknown): Promise<void> {
  const { runId, cursor, segment, token } = event.parse(input);
  const seen = await readRecord(runId, cursor).catch(unlessErased);
  // Nothing is waited for in a run that was erased: its next step ends the execution.
  if (!seen) return wake(token);
  const seq = seen.type === 'answer' ? seen.ask : cursor;
  if (!(await keepWait(runId, seq, segment, token))) return wake(token);
  // META first: what is shown of an ask holds as long as no step began since.
  const meta = await readMeta(runId);
  const asked = await readAsk(runId, seq);
  const waits = asked?.open && !isOverdue(asked.standing, Date.now()) && meta && !meta.cancel && meta.segment === segment;
  if (!waits) return wake(token);
  await setWaiting(meta, asked.ask);
  await deliverCallbacks(runId, asked);
  await notify({ meta, ask: asked.ask, log: () => readLog(runId) }, Date.now() + NOTIFYING_MS);
}

function unlessErased(error: unknown): undefined {
  if (!(error instanceof ErasedError)) throw error;
}
