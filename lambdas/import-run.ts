import { importRequest } from '../shared/api.ts';
import { ProblemError } from '../shared/errors.ts';
import { summaryOf } from '../shared/summary.ts';
import { isRunId } from '../shared/tables.ts';
import { type HttpEvent, httpHandler, readBody } from './lib/http.ts';
import { closeImport, keepPart, takeLines, takeParts } from './lib/import-run.ts';
import { mustRead } from './lib/meta-store.ts';

/** `POST /runs/{id}/import`: takes lines of an exported run, which is then here to be looked at. Safe to repeat. */
export const handler = httpHandler({ 'POST /runs/{id}/import': take });

async function take(event: HttpEvent) {
  const runId = event.pathParameters?.id ?? '';
  if (!isRunId(runId)) throw new ProblemError(400, 'Invalid run', `"${runId.slice(0, 100)}" is no run id`, 'id');
  const request = readBody(event, importRequest);
  if ('part' in request) return { status: 200, body: { part: await keepPart({ runId }, Buffer.from(request.part, 'base64')) } };
  const importing = { runId, by: request.by ?? 'the API' };
  if ('parts' in request) await takeParts(importing, request.parts);
  else await takeLines(importing, request.lines);
  if ('lines' in request && request.whole) await closeImport(importing);
  return { status: 200, body: { run: summaryOf(await mustRead(runId)) } };
}
