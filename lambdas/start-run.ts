import { MAX_INPUT_BYTES, type StartRunRequest, startRunRequest } from '../shared/api.ts';
import { ProblemError } from '../shared/errors.ts';
import { type HttpEvent, httpHandler, readBody } from './lib/http.ts';
import { createRun } from './lib/start.ts';

/** `POST /runs`: starts a run and answers at once. With an `Idempotency-Key` header it is safe to repeat. */
export const handler = httpHandler({ 'POST /runs': start });

async function start(event: HttpEvent) {
  const request = readBody(event, startRunRequest);
  if (Buffer.byteLength(JSON.stringify(request.input)) > MAX_INPUT_BYTES) {
    throw new ProblemError(413, 'Input too large', `The input may have at most ${MAX_INPUT_BYTES} bytes of JSON`, 'input');
  }
  return { status: 202, body: await createRun(request satisfies StartRunRequest, keyOf(event)) };
}

function keyOf({ headers }: HttpEvent): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (key.trim() === '' || key.length > 255)
    throw new ProblemError(400, 'Invalid header', 'Idempotency-Key must have 1 to 255 characters', 'Idempotency-Key');
  return key.trim();
}
