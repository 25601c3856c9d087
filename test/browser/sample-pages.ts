import { type AskPage, askPage } from '../../console/ask-page.ts';

import { OUTBOX_HEADERS } from '../../console/headers.ts';
import { inboxPage } from '../../console/inbox-page.ts';
import { linkFaultPage } from '../../console/link-page.ts';
import { askMail, type Mail } from '../../console/mail.ts';
import { messagePage } from '../../console/message-page.ts';
import { outboxPage } from '../../console/outbox-page.ts';
import type { AskView } from '../../shared/ask-view.ts';
import { HOSTILE } from '../console/hostile-texts.ts';
import {
  aboutTheRun,
  alreadySaid,
  answered,
  approval,
  callback,
  closed,
  edited,
  escalation,
  expired,
  filledWith,
  freeQuestion,
  NOW,
  partly,
  questionWithOptions,
  twoCalls,
  twoPeople,
  unknownOutcome,
} from '../console/sample-asks.ts';
import type { SitePage } from './site.ts';

/** The page of an ask. */
export const askOf = (view: AskView, more: Partial<AskPage> = {}): SitePage => ({
  html: askPage({ view, now: NOW, action: '/answer', fields: { nonce: 'n-1', t: 'secret' }, ...more }),
});

/** What was sent and refused: it stands in the form again. */
export const REFUSED = new URLSearchParams({
  'decision.0': 'approve',
  'input.0': '{ "order_id": "A-1041",\n  "amount_cents": "half" }',
  comment: 'Half of it,\n\u200Fas agreed',
});

/** The page of an ask that holds the text wherever it can. */
export const pageWith = (text: string): SitePage => askOf(filledWith(text));

const mailOf = (view: AskView, id: string) => ({
  id,
  to: 'pat@example.com',
  at: NOW,
  ...(askMail({ view, now: NOW, link: '/two-calls?p=0&t=secret' }) as Mail),
});

/** The outbox with the mails of some asks. */
export const outboxOf = (...views: AskView[]): SitePage => ({
  html: outboxPage({ mails: views.map((view, i) => mailOf(view, String(i))) }),
  headers: OUTBOX_HEADERS,
});

/** Every page there is, in each of its states. */
export const PAGES: Readonly<Record<string, SitePage>> = {
  '/approval': askOf(approval),
  '/two-calls': askOf(twoCalls),
  '/outcome': askOf(unknownOutcome),
  '/escalation': askOf(escalation),
  '/run': askOf(aboutTheRun),
  '/faulty': askOf(approval, {
    notice: 'The decision on issue_refund must be one of approve, deny: none was chosen. Nothing was decided.',
  }),
  '/refused': askOf(approval, { notice: 'amount_cents must be a number. Nothing was decided.', sent: REFUSED.toString() }),
  '/edited': askOf(edited),
  '/two-people': askOf(twoPeople),
  '/two-people-inbox': askOf(twoPeople, { asksName: true }),
  '/told': askOf(twoPeople, {
    asksName: true,
    notices: [
      { recipient: 'pat@example.com', state: 'sent', sentAt: NOW - 60_000 },
      { recipient: 'kim@example.com', state: 'failed', error: 'bounced: <b>no such user</b>' },
    ],
  }),
  '/already-said': askOf(alreadySaid),
  '/partly': askOf(partly),
  '/named': askOf(partly, { asksName: true }),
  '/question-options': askOf(questionWithOptions),
  '/question-free': askOf(freeQuestion),
  '/callback': askOf(callback),
  '/code-wanted': askOf(approval, { code: { recipient: 'pat@example.com' } }),
  '/code-sent': askOf(approval, {
    notice: 'The code is wrong: 4 tries are left. Nothing was decided.',
    code: { recipient: 'pat@example.com', until: NOW + 540_000 },
  }),
  '/answered': askOf(answered),
  '/expired': askOf(expired),
  '/closed': askOf(closed),
  '/forged': pageWith(HOSTILE['blank lines and a forged form'] as string),
  '/tags': pageWith(HOSTILE['the end of the frame'] as string),
  '/long': pageWith(HOSTILE['100 KB of one word'] as string),
  '/directions': pageWith(HOSTILE['direction marks'] as string),
  '/link-unknown': { html: linkFaultPage('unknown') },
  '/link-tampered': { html: linkFaultPage('tampered') },
  '/link-revoked': { html: linkFaultPage('revoked') },
  '/link-other': { html: linkFaultPage('other-recipient') },
  '/link-expired': { html: linkFaultPage('expired') },
  '/message': { html: messagePage('Something failed', 'Nothing was decided.') },
  '/inbox': {
    html: inboxPage({
      asks: [twoCalls, aboutTheRun, unknownOutcome, twoPeople, partly, questionWithOptions, callback],
      now: NOW,
      href: () => '/two-calls',
    }),
  },
  '/inbox-hostile': {
    html: inboxPage({ asks: Object.values(HOSTILE).map((text) => filledWith(text)), now: NOW, href: () => '/two-calls' }),
  },
  '/inbox-empty': { html: inboxPage({ asks: [], now: NOW, href: () => '' }) },
  '/outbox': outboxOf(twoCalls, filledWith(HOSTILE['the end of the frame'] as string)),
  '/outbox-empty': outboxOf(),
  '/sent': { html: messagePage('Sent', 'Your answer was sent.') },
};
