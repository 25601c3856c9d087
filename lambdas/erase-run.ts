import { eraseRequest } from '../shared/api.ts';
import type { Meta } from '../shared/meta.ts';
import { summaryOf } from '../shared/summary.ts';
import { cancelRun } from './lib/cancel.ts';
import { eraseRun } from './lib/erase.ts';
import { type HttpEvent, httpHandler, readBody } from './lib/http.ts';
import { knownRun } from './lib/known-run.ts';
import { isEnded, mustRead } from './lib/meta-store.ts';
import { until } from './lib/until.ts';

/** `DELETE /runs/{id}`: removes what a run was, and leaves a tombstone. Safe to repeat, and to be repeated until it is done. */
export const handler = httpHandler({ 'DELETE /runs/{id}': erase });

/** How long one request works at most, ms: an answer comes before API Gateway stops waiting. */
const WORK_MS = 18_000;
/** How long a run that is being cancelled is waited for, s. */
const ENDING_SECONDS = 6;

async function erase(event: HttpEvent) {
  const end = Date.now() + WORK_MS;
  const meta = await knownRun(event);
  const { by = 'the API', cancel = false } = readBody(event, eraseRequest, {});
  const over = cancel && !isEnded(meta) ? await ended(meta, by) : meta;
  if (!over) return answer(meta.runId, false);
  return answer(meta.runId, await eraseRun(over, by, end));
}

/** Cancels a run and waits a little for its end. Returns undefined while a step is still at work. */
async function ended({ runId }: Meta, by: string): Promise<Meta | undefined> {
  await cancelRun(runId, by);
  const isOver = (meta: Meta) => isEnded(meta) || meta.status === 'interrupted';
  const meta = await until(ENDING_SECONDS, () => mustRead(runId), isOver);
  return isOver(meta) ? meta : undefined;
}

async function answer(runId: string, done: boolean) {
  return { status: done ? 200 : 202, body: { run: summaryOf(await mustRead(runId)), done } };
}
