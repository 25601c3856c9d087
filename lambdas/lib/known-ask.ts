import { ProblemError } from '../../shared/errors.ts';
import { isOverdue } from '../../shared/standing.ts';
import { askId } from '../../shared/tables.ts';
import { type AskNow, findAsk } from './ask-store.ts';
import type { HttpEvent } from './http.ts';
import { readLog } from './log-store.ts';
import type { Asked } from './notify.ts';

/** An ask that a request names: as it is told, and as it stands. */
export interface KnownAsk extends Asked {
  readonly now: AskNow;
}

/** Reads the ask that a request names, with its run. Throws a 404 problem when there is none. */
export async function knownAsk(event: HttpEvent): Promise<KnownAsk> {
  const id = event.pathParameters?.id ?? '';
  const found = await findAsk(id);
  if (!found) throw new ProblemError(404, 'No such ask', `There is no ask "${id.slice(0, 100)}"`, 'id');
  const { meta, ask } = found;
  return { meta, ask, now: found, log: () => readLog(meta.runId) };
}

/** Throws a 409 problem when an ask takes no answer any more. */
export function mustBeOpen({ meta, ask, now: { open, standing } }: KnownAsk): void {
  const is = !open ? 'closed' : meta.cancel ? 'cancelled' : isOverdue(standing, Date.now()) ? 'expired' : 'open';
  if (is !== 'open')
    throw new ProblemError(
      409,
      'Ask is closed',
      `Ask "${askId(meta.runId, ask.seq)}" is ${is}: it takes no answer, and nobody needs to be told of it`,
    );
}
