import { MAX_INPUT_BYTES, type StartRunRequest, startRunRequest } from '../shared/api.ts';
import { ProblemError } from '../shared/errors.ts';
import { keyOf } from './lib/claims.ts';
import { type HttpEvent, httpHandler, readBody } from './lib/http.ts';
import { receiveValue } from './lib/received-files.ts';
import { createRun } from './lib/start.ts';

/** `POST /runs`: starts a run and answers at once. With an `Idempotency-Key` header it is safe to repeat. */
export const handler = httpHandler({ 'POST /runs': start });

async function start(event: HttpEvent) {
  const sent = readBody(event, startRunRequest);
  const { value: input, files } = receiveValue(sent.input, 'input');
  const request: StartRunRequest = { ...sent, input };
  if (Buffer.byteLength(JSON.stringify(request.input)) > MAX_INPUT_BYTES) {
    throw new ProblemError(413, 'Input too large', `The input may have at most ${MAX_INPUT_BYTES} bytes of JSON`, 'input');
  }
  return { status: 202, body: await createRun({ value: request, files }, keyOf(event)) };
}
