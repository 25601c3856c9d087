import { askPage } from '../console/ask-page.ts';
import { readForm } from '../console/form.ts';
import { inboxPage } from '../console/inbox-page.ts';
import { linkFaultPage } from '../console/link-page.ts';
import { messagePage } from '../console/message-page.ts';
import { asOf } from '../console/words.ts';
import { type AskView, type LinkFault, viewOfAsk } from '../shared/ask-view.ts';
import { ProblemError } from '../shared/errors.ts';
import type { Ask } from '../shared/record.ts';
import { findAsk } from './lib/ask-store.ts';
import { withEdits } from './lib/edits.ts';
import type { HttpEvent } from './lib/http.ts';
import { nonceOf, openLink } from './lib/links.ts';
import { readLog } from './lib/log-store.ts';
import { mustRead } from './lib/meta-store.ts';
import { formOf, type Page, pageHandler } from './lib/page.ts';
import { type Answerer, recordAnswer } from './lib/record-answer.ts';
import { listRuns } from './lib/run-list.ts';
import { linkKey } from './lib/secret.ts';

/** The pages of asks: by the link of a notice, and by the inbox. A GET shows; only the form of a shown page answers. */
export const handler = pageHandler(
  {
    'GET /a/{id}': (event) => byLink(event, 'show'),
    'POST /a/{id}': (event) => byLink(event, 'answer'),
    'GET /inbox': inbox,
    'GET /inbox/{id}': (event) => byInbox(event, 'show'),
    'POST /inbox/{id}': (event) => byInbox(event, 'answer'),
  },
  () => messagePage('Something failed', 'The page could not be made. Nothing was decided. Try again in a moment.'),
);

/** How an ask was come to, and who came. */
interface Visit {
  readonly runId: string;
  readonly ask: Ask;
  readonly view: AskView;
  /** Where the page is, and where its form goes. */
  readonly page: string;
  readonly action: string;
  readonly fields: Record<string, string>;
  readonly who: Answerer;
}

type Intent = 'show' | 'answer';

async function byLink(event: HttpEvent, intent: Intent): Promise<Page> {
  const id = event.pathParameters?.id ?? '';
  const form = new URLSearchParams(intent === 'answer' ? (formOf(event) ?? '') : '');
  const { p = '', t = '' } = intent === 'answer' ? { p: form.get('p') ?? '', t: form.get('t') ?? '' } : (event.queryStringParameters ?? {});
  const found = await findAsk(id);
  if (!found) return fault('unknown');
  const notice = await openLink(found.runId, found.ask.seq, p, t, Date.now());
  if (typeof notice === 'string') return fault(notice);
  const view = await viewOf(found.runId, found.ask, notice.recipient);
  const fields = { p, t, nonce: nonceOf(id, t) };
  return meet(
    {
      ...found,
      view,
      page: `/a/${id}?p=${p}&t=${t}`,
      action: `/a/${id}`,
      fields,
      who: { by: notice.recipient, via: 'mail link', recipient: notice.recipient },
    },
    event,
    intent,
  );
}

async function byInbox(event: HttpEvent, intent: Intent): Promise<Page> {
  const id = event.pathParameters?.id ?? '';
  const found = await findAsk(id);
  if (!found) return fault('unknown');
  const view = await viewOf(found.runId, found.ask);
  const page = `/inbox/${id}`;
  return meet(
    { ...found, view, page, action: page, fields: { nonce: nonceOf(id, await linkKey()) }, who: { by: 'the inbox', via: 'inbox' } },
    event,
    intent,
  );
}

/** Shows the page, or takes its form. What was not decided in the exact words of the form decides nothing. */
async function meet(visit: Visit, event: HttpEvent, intent: Intent): Promise<Page> {
  const asksName = visit.who.via === 'inbox';
  const sent = intent === 'answer' ? formOf(event) : undefined;
  const now = Date.now();
  const shown = (status: number, more: { notice?: string; sent?: string } = {}): Page => ({
    status,
    html: askPage({ ...visit, asksName, now, ...more }),
  });
  if (intent === 'show' || visit.view.state.is !== 'open') return shown(200);
  if (sent === undefined) return shown(413, { notice: 'The form was too large. Nothing was decided.' });
  if (new URLSearchParams(sent).get('nonce') !== visit.fields.nonce)
    return shown(403, { notice: 'The form did not come from this page. Nothing was decided.' });
  const form = readForm(sent, asOf(visit.view, now).questions, asksName);
  if ('fault' in form) return shown(400, { sent, notice: `${form.fault} Nothing was decided.` });
  try {
    const who = form.by === undefined ? visit.who : { ...visit.who, by: form.by };
    await recordAnswer(visit.runId, visit.ask.seq, who, await withEdits(visit.runId, visit.ask, form.answers));
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    // With 409 somebody else was first, or the run has gone on: the page says what was decided.
    if (error.status !== 409) return shown(error.status, { sent, notice: `${error.message}. Nothing was decided.` });
  }
  return { location: visit.page };
}

async function viewOf(runId: string, ask: Ask, recipient?: string): Promise<AskView> {
  const [meta, log] = await Promise.all([mustRead(runId), readLog(runId)]);
  return viewOfAsk(meta, log, ask, recipient);
}

async function inbox(): Promise<Page> {
  const { runs } = await listRuns({ statuses: ['waiting'], limit: 200 });
  const views = await Promise.all(
    runs.map(async ({ runId, waiting }) => {
      const found = waiting && (await findAsk(`${runId}-${waiting.seq}`));
      return found ? [await viewOf(runId, found.ask)] : [];
    }),
  );
  return { status: 200, html: inboxPage({ asks: views.flat(), now: Date.now(), href: (id) => `/inbox/${id}` }) };
}

const FAULT_STATUS: Record<LinkFault, number> = { unknown: 404, tampered: 403, expired: 410 };
const fault = (why: LinkFault): Page => ({ status: FAULT_STATUS[why], html: linkFaultPage(why) });
