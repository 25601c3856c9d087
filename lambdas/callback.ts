import { type CallbackRequest, callbackRequest, MAX_INPUT_BYTES } from '../shared/api.ts';
import { ErasedError, ProblemError } from '../shared/errors.ts';
import { canonical, type Json } from '../shared/json.ts';
import { effectKey, parseCallbackId } from '../shared/tables.ts';
import { readAsk } from './lib/ask-store.ts';
import { keepPosted, noteHeartbeat, readCallback, waiterFor } from './lib/callback-store.ts';
import { deliverCallbacks } from './lib/callbacks.ts';
import { sameHash } from './lib/hash.ts';
import { hiddenOf } from './lib/hidden-call.ts';
import { hideIn, hideOutput } from './lib/hide.ts';
import { type HttpEvent, httpHandler, readBody } from './lib/http.ts';
import { mustRead } from './lib/meta-store.ts';
import { wakeAsk } from './lib/waits.ts';

/** `POST /c/{id}?t=`: takes the result of a call that said `pending()`. It is kept first, then delivered; the first one stands. */
export const handler = httpHandler({ 'POST /c/{id}': take });

async function take(event: HttpEvent) {
  const at = parseCallbackId(event.pathParameters?.id ?? '');
  const key = at && effectKey(at.runId, at.seq, at.index);
  const known = key === undefined ? undefined : await readCallback(key).catch(unlessErased);
  const secret = event.queryStringParameters?.t ?? '';
  if (!at || !key || !known || ![...known.hashes].some((hash) => sameHash(secret, hash)))
    throw new ProblemError(404, 'No such callback', 'This address takes no result: use the callbackUrl of the call, whole', 't');
  const request = readBody(event, callbackRequest);
  if ('heartbeat' in request) await noteHeartbeat(key, Date.now());
  else await keep(key, at, request);
  const { runId } = await waiterFor(at);
  const waiting = (await mustRead(runId)).waiting;
  const asked = waiting && (await readAsk(runId, waiting.seq));
  if (asked?.open) await deliverCallbacks(runId, asked);
  // Answered, and whoever answered did not come to wake it.
  else if (asked) await wakeAsk(runId, asked.ask.seq);
  return { status: 202, body: { accepted: true } };
}

type At = NonNullable<ReturnType<typeof parseCallbackId>>;

/** Keeps a result: what is secret of its call is masked before. */
async function keep(key: string, at: At, request: Exclude<CallbackRequest, { heartbeat: true }>): Promise<void> {
  const [ok, given] = 'error' in request ? [false, request.error] : [true, request.output];
  const output = await hidden(given, ok, at);
  if (Buffer.byteLength(JSON.stringify(output)) > MAX_INPUT_BYTES)
    throw new ProblemError(413, 'Result too large', `A result may have at most ${MAX_INPUT_BYTES} bytes of JSON`, 'output');
  const stands = await keepPosted(key, { ok, output, postedAt: Date.now() });
  if (stands.ok !== ok || canonical(stands.output ?? null) !== canonical(output))
    throw new ProblemError(409, 'Already posted', 'Another result was posted for this call before, and it stands');
}

/** The run of the call may be over, and its secrets gone: those of the run that took the call over are the same. */
async function hidden(given: Json, ok: boolean, at: At): Promise<Json> {
  const waiter = await waiterFor(at);
  const calls = waiter.runId === at.runId ? [at] : [at, waiter];
  const known = await Promise.all(calls.map(({ runId, seq, index }) => hiddenOf(runId, seq, index)));
  return known.reduce<Json>((rest, each) => (!each ? rest : ok ? hideOutput(rest, each) : hideIn(rest, each)), given);
}

/** Nobody is told more of an erased run than of one that never was. */
function unlessErased(error: unknown): undefined {
  if (!(error instanceof ErasedError)) throw error;
}
