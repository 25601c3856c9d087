import { runKey, SECRET_PREFIX, secretPrefix } from '../../shared/tables.ts';
import { between, remove } from './dynamo.ts';

/** Removes the secrets of a reply's calls, or of all calls of a run: they are settled. */
export async function forgetSecrets(runId: string, seq?: number): Promise<void> {
  const prefix = seq === undefined ? SECRET_PREFIX : secretPrefix(seq);
  const items = await between(runKey(runId), prefix, `${prefix}~`);
  await Promise.all(items.map(({ sk }) => remove({ pk: runKey(runId), sk: String(sk) })));
}
