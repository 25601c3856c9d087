import type { NoticeSummary } from '../shared/api.ts';
import { oneLine } from './clean.ts';
import { duration } from './output.ts';

/** One line on a recipient of an ask, and what came of writing there. `now` is in ms since the epoch. */
export function noticeLine(notice: NoticeSummary, now: number): string {
  return `${oneLine(notice.recipient, 100)}: ${stateOf(notice, now)}`;
}

function stateOf({ state, sentAt, error, nextTryAt, again, revoked }: NoticeSummary, now: number): string {
  const since = (at: number) => `${duration(now - at)} ago`;
  const asked = again ? `, as ${oneLine(again.by, 60)} asked` : '';
  switch (state) {
    case 'revoked':
      return `its link was taken back by ${oneLine(revoked?.by ?? '', 60)} ${since(revoked?.at ?? now)}`;
    case 'sent':
      return `sent ${since(sentAt ?? now)}${asked}`;
    case 'failed':
      return `not reached: ${oneLine(error ?? '', 300)}; ${nextTryAt === undefined ? 'not tried again' : `next try in ${duration(nextTryAt - now)}`}`;
    case 'pending':
      return `to be sent${asked}`;
  }
}
