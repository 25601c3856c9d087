import {
  budgetRequest,
  discardRequest,
  forkRequest,
  MAX_INPUT_BYTES,
  messageRequest,
  noticeRequest,
  repinRequest,
  restartRequest,
  steerRequest,
} from '../shared/api.ts';
import { ProblemError } from '../shared/errors.ts';
import type { Meta } from '../shared/meta.ts';
import { shownSummaryOf, summaryOf } from '../shared/summary.ts';
import { cannotGoOn, isBranchable } from './lib/branchable.ts';
import { cancelRun } from './lib/cancel.ts';
import { keyOf } from './lib/claims.ts';
import { discardSummary } from './lib/discard-summary.ts';
import { putFiles } from './lib/file-store.ts';
import { forkRun } from './lib/fork.ts';
import { goOn } from './lib/go-on.ts';
import { type HttpEvent, httpHandler, readBody } from './lib/http.ts';
import { messageId, postMessage } from './lib/inbox.ts';
import { knownAsk, mustBeOpen } from './lib/known-ask.ts';
import { knownRun } from './lib/known-run.ts';
import { isEnded, mustRead } from './lib/meta-store.ts';
import { noticeSummaryOf } from './lib/notice-store.ts';
import { raiseBudget } from './lib/raise-budget.ts';
import { receiveFiles } from './lib/received-files.ts';
import { takeBack, tell } from './lib/recipients.ts';
import { hasEnded, reopen } from './lib/reopen.ts';
import { repinRun } from './lib/repin.ts';
import { restartRun } from './lib/restart.ts';

/**
 * What a person does to a run under way: send it a message, raise its budgets, cancel, resume, repin, restart or fork it, say
 * who is told of its ask.
 */
export const handler = httpHandler({
  'POST /runs/{id}/messages': message,
  'POST /runs/{id}/cancel': cancel,
  'POST /runs/{id}/resume': resume,
  'POST /runs/{id}/repin': repin,
  'POST /runs/{id}/restart': restart,
  'POST /runs/{id}/fork': fork,
  'POST /runs/{id}/summaries/{seq}/discard': (event) => discard(event, false),
  'POST /runs/{id}/summaries/{seq}/remake': (event) => discard(event, true),
  'POST /runs/{id}/budget': budget,
  'POST /asks/{id}/notices': notify,
  'POST /asks/{id}/notices/revoke': revoke,
});

/** Pending messages that a run may have. */
const MAX_INBOX = 100;

/** Puts a message into the inbox; a run that has ended its turn goes on with it. */
async function message(event: HttpEvent) {
  const meta = await knownRun(event);
  const { text, files: sent = [] } = readBody(event, messageRequest);
  if (text.trim() === '') throw new ProblemError(400, 'Invalid body', 'text: it must not be blank', 'text');
  if (Buffer.byteLength(JSON.stringify(text)) > MAX_INPUT_BYTES)
    throw new ProblemError(413, 'Message too large', `A message may have at most ${MAX_INPUT_BYTES} bytes of JSON`, 'text');
  const files = receiveFiles(sent, 'files');
  const key = keyOf(event);
  if (meta.restartedAs !== undefined)
    throw new ProblemError(409, 'Run was restarted', `Run "${meta.runId}" was started over as run "${meta.restartedAs}"; send it there`);
  if ((isEnded(meta) && meta.status !== 'completed') || meta.cancel) throw hasEnded(meta);
  if ((meta.inbox?.size ?? 0) >= MAX_INBOX)
    throw new ProblemError(
      429,
      'Inbox full',
      `Run "${meta.runId}" has ${MAX_INBOX} messages that it has not read yet; send this one later`,
    );
  const said = { text, ...(sent.length > 0 ? { files: files.value } : {}) };
  const id = await messageId(meta.runId, key, said);
  await putFiles(meta.runId, files.files);
  const now = await postMessage(meta.runId, id, said);
  if (now.status === 'completed') await reopen(now, id);
  return { status: 202, body: { runId: meta.runId, messageId: id } };
}

/** Raises budgets of the run. */
async function budget(event: HttpEvent) {
  const meta = await knownRun(event);
  const id = await raiseBudget(meta, readBody(event, budgetRequest), keyOf(event));
  return { status: 202, body: { runId: meta.runId, messageId: id } };
}

/** Asks for the run to be cancelled: at once when it waits, else after the call that is under way. */
async function cancel(event: HttpEvent) {
  const meta = await knownRun(event);
  const { by = 'the API' } = readBody(event, steerRequest, {});
  if (!(await cancelRun(meta.runId, by))) return alreadyOver(await mustRead(meta.runId));
  return { status: 202, body: { run: summaryOf(await mustRead(meta.runId)) } };
}

/** A cancel that is sent again, since its answer was lost, is as good as the first. */
function alreadyOver(meta: Meta) {
  if (meta.status !== 'cancelled') throw hasEnded(meta);
  return { status: 202, body: { run: summaryOf(meta) } };
}

/** Gives an unfinished run its next segment; the one before stops at its next step. */
async function resume(event: HttpEvent) {
  const meta = await knownRun(event);
  readBody(event, steerRequest, {});
  if (isEnded(meta)) throw hasEnded(meta);
  await goOn(meta);
  return { status: 202, body: { run: summaryOf(await mustRead(meta.runId)) } };
}

/** Gives a run to the code in service, on the word of somebody who was shown what is different. */
async function repin(event: HttpEvent) {
  const meta = await knownRun(event);
  const { by, expect } = readBody(event, repinRequest);
  if (isEnded(meta) || meta.cancel) throw hasEnded(meta);
  await goOn(await repinRun(meta, by, expect));
  return { status: 202, body: { run: summaryOf(await mustRead(meta.runId)) } };
}

/** Starts a run over, as a new run that knows what was done. */
async function restart(event: HttpEvent) {
  const meta = await branchable(event);
  const { by = 'the API' } = readBody(event, restartRequest, {});
  return { status: 202, body: { run: summaryOf(await restartRun(meta, by)) } };
}

/** Branches a run off after a record of another. */
async function fork(event: HttpEvent) {
  const meta = await branchable(event);
  const request = readBody(event, forkRequest);
  return { status: 202, body: { run: summaryOf(await forkRun(meta, request, keyOf(event))) } };
}

/** Reads META of a run that another may go on from. Throws a 409 problem when its records are gone, or only here to be looked at. */
async function branchable(event: HttpEvent): Promise<Meta> {
  const meta = await knownRun(event);
  if (isBranchable(meta)) return meta;
  throw cannotGoOn(meta);
}

/** Throws a summary away; with `again` the next model step makes another in its place. */
async function discard(event: HttpEvent, again: boolean) {
  const meta = await knownRun(event);
  const { by = 'the API', version } = readBody(event, discardRequest, {});
  const seq = event.pathParameters?.seq ?? '';
  const summary = await discardSummary(meta, /^\d{1,9}$/.test(seq) ? Number(seq) : 0, { by, again, version });
  const now = await mustRead(meta.runId);
  return { status: 202, body: { run: summaryOf(now), summary: shownSummaryOf(now, summary) } };
}

/** Writes to a recipient of an ask, whether it was written to before or not. */
async function notify(event: HttpEvent) {
  const asked = await knownAsk(event);
  const { to, by = 'the API' } = readBody(event, noticeRequest);
  mustBeOpen(asked);
  return { status: 202, body: { notice: noticeSummaryOf(await tell(asked, to, by)) } };
}

/** Takes back the link of a recipient; that of an ask which is closed too, since its page still shows what was asked. */
async function revoke(event: HttpEvent) {
  const asked = await knownAsk(event);
  const { to, by = 'the API' } = readBody(event, noticeRequest);
  return { status: 200, body: { notice: noticeSummaryOf(await takeBack(asked, to, by)) } };
}
