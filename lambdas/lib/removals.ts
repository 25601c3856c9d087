import { SCHEMA_VERSION } from '../../shared/record.ts';
import { parseRemovalKey, REMOVALS_KEY, removalKey } from '../../shared/tables.ts';
import { between, put, remove } from './dynamo.ts';

/** A run that is to be removed, or looked at again while it is: `due` is in ms since the epoch. */
export interface Removal {
  readonly runId: string;
  readonly due: number;
}

/** Has the sweep come to a run when it is due. Before anything depends on it: what came to nothing is dropped then. */
export const planRemoval = ({ runId, due }: Removal): Promise<void> =>
  put({ pk: REMOVALS_KEY, sk: removalKey(due, runId), v: SCHEMA_VERSION });

/** Lists what is due, oldest first. */
export async function dueRemovals(now: number, limit: number): Promise<Removal[]> {
  const items = await between(REMOVALS_KEY, removalKey(0), removalKey(now), limit);
  return items.map(({ sk }) => parseRemovalKey(String(sk)));
}

/** Strikes what is done. */
export const dropRemoval = ({ runId, due }: Removal): Promise<void> => remove({ pk: REMOVALS_KEY, sk: removalKey(due, runId) });
