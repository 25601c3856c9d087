import type { Ask } from '../../shared/record.ts';
import { setReason } from './meta-store.ts';
import type { Notice } from './notice-store.ts';

/** Tells whether nobody can be reached: no notice arrived and stands, and none is tried again. */
const isUnreachable = (notices: readonly Notice[]): boolean =>
  notices.length > 0 && notices.every(({ sentAt, nextTryAt, revoked }) => revoked || (sentAt === undefined && nextTryAt === undefined));

/** Says in the run's reason when nobody could be told of its ask; `mended` also says when that is over. */
export async function noteReach(runId: string, ask: Ask, notices: readonly Notice[], mended = false): Promise<void> {
  const reason = `${ask.kind}: ${ask.reason}`;
  if (isUnreachable(notices)) return setReason(runId, ask.seq, `${reason}; nobody could be written to: ${whyOf(notices)}`);
  if (mended) await setReason(runId, ask.seq, reason);
}

const whyOf = (notices: readonly Notice[]): string =>
  notices.find(({ error }) => error !== undefined)?.error ?? 'every link was taken back';
