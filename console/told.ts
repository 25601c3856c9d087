import type { NoticeSummary } from '../shared/api.ts';
import { html, type Markup } from './html.ts';
import { oneLine } from './plain-text.ts';
import { moment } from './times.ts';
import { person } from './words.ts';

/** Who was written to about an ask, and what came of it: who waits for an answer sees why none comes. */
export const told = (notices: readonly NoticeSummary[]): Markup | undefined =>
  notices.length === 0
    ? undefined
    : html`<section class="background"><h2>Who was told</h2>
<ul>${notices.map(
        (notice) => html`<li>${oneLine(notice.recipient, 100)}: ${becameOf(notice)}</li>
`,
      )}</ul></section>`;

function becameOf({ state, sentAt = 0, error = '', nextTryAt, again, revoked }: NoticeSummary): string {
  const asked = again ? `, as ${person(again.by)} asked` : '';
  switch (state) {
    case 'sent':
      return `sent on ${moment(sentAt)}${asked}`;
    case 'failed':
      return `not reached: ${oneLine(error, 300)}. ${nextTryAt === undefined ? 'It is not tried again by itself' : `Next try on ${moment(nextTryAt)}`}`;
    case 'revoked':
      return `the link was taken back by ${person(revoked?.by ?? '')}`;
    case 'pending':
      return `to be sent${asked}`;
  }
}
