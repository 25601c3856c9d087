import { type CallbackRequest, callbackRequest, MAX_INPUT_BYTES } from '../shared/api.ts';
import { ErasedError, ProblemError } from '../shared/errors.ts';
import { canonical } from '../shared/json.ts';
import { MASK } from '../shared/secrets.ts';
import { effectKey, parseCallbackId } from '../shared/tables.ts';
import { readAsk } from './lib/ask-store.ts';
import { type Callback, keepPosted, noteHeartbeat, readCallback, waiterFor } from './lib/callback-store.ts';
import { deliverCallbacks } from './lib/callbacks.ts';
import { forgetSecrets } from './lib/forget-secrets.ts';
import { sameHash } from './lib/hash.ts';
import { hiddenOf } from './lib/hidden-call.ts';
import { type Hidden, hideIn, hideOutput } from './lib/hide.ts';
import { type HttpEvent, httpHandler, readBody } from './lib/http.ts';
import { isEnded, mustRead } from './lib/meta-store.ts';
import { keyedHash } from './lib/sealing-key.ts';
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
  const known = await hiddenFrom(at);
  const output = known.length > 0 && known.every(isGone) ? UNTOLD : known.reduce(ok ? hideOutput : hideIn, given);
  if (Buffer.byteLength(JSON.stringify(output)) > MAX_INPUT_BYTES)
    throw new ProblemError(413, 'Result too large', `A result may have at most ${MAX_INPUT_BYTES} bytes of JSON`, 'output');
  const hash = known.length > 0 ? { given: (await keyedHash())(key, { ok, given }) } : {};
  const stands = await keepPosted(key, { ok, output, postedAt: Date.now(), ...hash });
  if (!isSame(stands, { ok, output, ...hash }))
    throw new ProblemError(409, 'Already posted', 'Another result was posted for this call before, and it stands');
  // Whoever takes over a call of a run that is over finds the result, and needs no secrets for it.
  if (known.some(({ call }) => call.secrets) && isEnded(await mustRead(at.runId))) await forgetSecrets(at.runId, at.seq, at.index);
}

/** Where something is secret the hashes tell: masks look alike, and once the secrets are gone they cannot be masked again. */
const isSame = (stands: Callback, { ok, output, given }: Pick<Callback, 'ok' | 'output' | 'given'>): boolean =>
  stands.given !== undefined && given !== undefined
    ? stands.given === given
    : stands.ok === ok && canonical(stands.output ?? null) === canonical(output ?? null);

/** Nobody can tell any more what of a result is secret. */
const isGone = ({ secrets }: Hidden): boolean => secrets === undefined;
const UNTOLD = `${MASK} (a result came when the secrets of its call were not kept any more, so it is not shown)`;

/** The call may be settled, and its secrets gone: those of an equal call that took it over are the same. */
async function hiddenFrom(at: At): Promise<Hidden[]> {
  const waiter = await waiterFor(at);
  const calls = canonical(waiter) === canonical(at) ? [at] : [at, waiter];
  const known = await Promise.all(calls.map(({ runId, seq, index }) => hiddenOf(runId, seq, index)));
  return known.flatMap((each) => each ?? []);
}

/** Nobody is told more of an erased run than of one that never was. */
function unlessErased(error: unknown): undefined {
  if (!(error instanceof ErasedError)) throw error;
}
