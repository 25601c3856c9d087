import { askPage } from '../../console/ask-page.ts';
import { OUTBOX_HEADERS } from '../../console/headers.ts';
import { inboxPage } from '../../console/inbox-page.ts';
import { linkFaultPage } from '../../console/link-page.ts';
import { askMail } from '../../console/mail.ts';
import { messagePage } from '../../console/message-page.ts';
import { outboxPage } from '../../console/outbox-page.ts';
import type { AskView } from '../../shared/ask-view.ts';
import { HOSTILE } from '../console/hostile-texts.ts';
import {
  aboutTheRun,
  answered,
  approval,
  closed,
  escalation,
  expired,
  filledWith,
  NOW,
  twoCalls,
  unknownOutcome,
} from '../console/sample-asks.ts';
import type { SitePage } from './site.ts';

const ask = (view: AskView, notice?: string): SitePage => ({
  html: askPage({ view, now: NOW, action: '/answer', fields: { nonce: 'n-1', t: 'secret' }, ...(notice === undefined ? {} : { notice }) }),
});

/** The page of an ask that holds the text wherever it can. */
export const pageWith = (text: string): SitePage => ask(filledWith(text));

const mailOf = (view: AskView, id: string) => ({
  id,
  to: 'pat@example.com',
  at: NOW,
  ...askMail({ view, now: NOW, link: '/two-calls?p=0&t=secret' }),
});

/** The outbox with the mails of some asks. */
export const outboxOf = (...views: AskView[]): SitePage => ({
  html: outboxPage({ mails: views.map((view, i) => mailOf(view, String(i))) }),
  headers: OUTBOX_HEADERS,
});

/** Every page there is, in each of its states. */
export const PAGES: Readonly<Record<string, SitePage>> = {
  '/approval': ask(approval),
  '/two-calls': ask(twoCalls),
  '/outcome': ask(unknownOutcome),
  '/escalation': ask(escalation),
  '/run': ask(aboutTheRun),
  '/faulty': ask(approval, 'The decision on issue_refund must be one of approve, deny: none was chosen. Nothing was decided.'),
  '/answered': ask(answered),
  '/expired': ask(expired),
  '/closed': ask(closed),
  '/forged': pageWith(HOSTILE['blank lines and a forged form'] as string),
  '/tags': pageWith(HOSTILE['the end of the frame'] as string),
  '/long': pageWith(HOSTILE['100 KB of one word'] as string),
  '/directions': pageWith(HOSTILE['direction marks'] as string),
  '/link-unknown': { html: linkFaultPage('unknown') },
  '/link-tampered': { html: linkFaultPage('tampered') },
  '/link-expired': { html: linkFaultPage('expired') },
  '/message': { html: messagePage('Something failed', 'Nothing was decided.') },
  '/inbox': { html: inboxPage({ asks: [twoCalls, aboutTheRun, unknownOutcome], now: NOW, href: () => '/two-calls' }) },
  '/inbox-hostile': {
    html: inboxPage({ asks: Object.values(HOSTILE).map((text) => filledWith(text)), now: NOW, href: () => '/two-calls' }),
  },
  '/inbox-empty': { html: inboxPage({ asks: [], now: NOW, href: () => '' }) },
  '/outbox': outboxOf(twoCalls, filledWith(HOSTILE['the end of the frame'] as string)),
  '/outbox-empty': outboxOf(),
  '/sent': { html: messagePage('Sent', 'Your answer was sent.') },
};
