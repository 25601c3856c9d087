import { ProblemError } from '../../shared/errors.ts';
import type { Meta } from '../../shared/meta.ts';
import { isRunId } from '../../shared/tables.ts';
import type { HttpEvent } from './http.ts';
import { readMeta } from './meta-store.ts';

/** Reads META of the run that a request names. Throws a 404 problem when there is none. */
export async function knownRun(event: HttpEvent): Promise<Meta> {
  const id = event.pathParameters?.id ?? '';
  const meta = isRunId(id) ? await readMeta(id) : undefined;
  if (!meta) throw new ProblemError(404, 'No such run', `There is no run "${id.slice(0, 100)}"`, 'id');
  return meta;
}
