import { askPage } from '../console/ask-page.ts';
import { asksForCode, codeIn } from '../console/code-field.ts';
import { readForm } from '../console/form.ts';
import { inboxPage } from '../console/inbox-page.ts';
import { linkFaultPage } from '../console/link-page.ts';
import { messagePage } from '../console/message-page.ts';
import { asOf } from '../console/words.ts';
import { type AskView, type LinkFault, viewOfAsk } from '../shared/ask-view.ts';
import { ProblemError } from '../shared/errors.ts';
import { webhookOf } from '../shared/recipient.ts';
import type { Ask } from '../shared/record.ts';
import { askId } from '../shared/tables.ts';
import { findAsk } from './lib/ask-store.ts';
import { checkCode, codeStepOf, needsCode, type Refusal, sendCode } from './lib/confirm.ts';
import { withEdits } from './lib/edits.ts';
import type { HttpEvent } from './lib/http.ts';
import { readable } from './lib/item.ts';
import { bearerOf, nonceOf, openLink } from './lib/links.ts';
import { readLog } from './lib/log-store.ts';
import { mustRead } from './lib/meta-store.ts';
import { type Notice, useUpCode } from './lib/notice-store.ts';
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
  /** Present when the answer needs a code, which is kept on this notice. */
  readonly confirm?: Notice;
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
  const bearer = bearerOf(notice, found.ask);
  const view = await viewOf(found.runId, found.ask, bearer);
  const fields = { p, t, nonce: nonceOf(id, t) };
  return meet(
    {
      ...found,
      view,
      page: `/a/${id}?p=${p}&t=${t}`,
      action: `/a/${id}`,
      fields,
      who: {
        by: notice.recipient,
        via: webhookOf(notice.recipient) ? 'webhook link' : 'mail link',
        ...(bearer ? { recipient: bearer } : {}),
      },
      ...(needsCode(view) ? { confirm: notice } : {}),
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
  const now = Date.now();
  const asksName = visit.who.via === 'inbox';
  const shown = async (status: number, more: { notice?: string; sent?: string } = {}): Promise<Page> => {
    const code = visit.confirm && (await codeStepOf(visit.confirm, now));
    return { status, html: askPage({ ...visit, asksName, now, ...more, ...(code ? { code } : {}) }) };
  };
  if (intent === 'show' || visit.view.state.is !== 'open') return shown(200);
  const sent = formOf(event);
  if (sent === undefined) return shown(413, { notice: 'The form was too large. Nothing was decided.' });
  if (new URLSearchParams(sent).get('nonce') !== visit.fields.nonce)
    return shown(403, { notice: 'The form did not come from this page. Nothing was decided.' });
  if (visit.confirm && asksForCode(sent)) {
    const unsent = await sendCode(visit.view, visit.confirm, now);
    return unsent ? shown(unsent.status, { notice: unsent.text }) : { location: visit.page };
  }
  const refused = await take(visit, sent, now, asksName);
  if (!refused) return { location: visit.page };
  const notice = `${refused.text} Nothing was decided.`;
  return refused.status === 409 ? showAgain(visit, { asksName, sent, notice }) : shown(refused.status, { sent, notice });
}

/** Somebody else was first, or the run has gone on: what is still asked stands in the form again, with what was written in it. */
async function showAgain(visit: Visit, more: { asksName: boolean; sent: string; notice: string }): Promise<Page> {
  const view = await viewOf(visit.runId, visit.ask, visit.view.recipient);
  const asks = view.state.is === 'open' && view.questions.some(({ mine }) => mine);
  return asks ? { status: 409, html: askPage({ ...visit, ...more, view, now: Date.now() }) } : { location: visit.page };
}

/** Records what a form says. Returns why it was not, or undefined. */
async function take({ runId, ask, view, who, confirm }: Visit, sent: string, now: number, asksName: boolean): Promise<Refusal | undefined> {
  const form = readForm(sent, asOf(view, now).questions, asksName);
  if ('fault' in form) return { status: 400, text: form.fault };
  const unconfirmed = confirm && (await checkCode(confirm, codeIn(sent), now));
  if (unconfirmed) return unconfirmed;
  try {
    const named = form.by === undefined ? who : { ...who, by: form.by };
    await recordAnswer(runId, ask.seq, named, await withEdits(runId, ask, form.answers));
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return { status: error.status, text: `${error.message}.` };
  }
  if (confirm) await useUpCode(confirm);
  return undefined;
}

async function viewOf(runId: string, ask: Ask, recipient?: string): Promise<AskView> {
  const [meta, log] = await Promise.all([mustRead(runId), readLog(runId)]);
  return viewOfAsk(meta, log, ask, recipient);
}

async function inbox(): Promise<Page> {
  const { runs } = await listRuns({ statuses: ['waiting'], limit: 200 });
  const views = await Promise.all(
    runs.map(({ runId, waiting }) =>
      readable(async () => {
        const found = waiting && (await findAsk(askId(runId, waiting.seq)));
        return found && viewOf(runId, found.ask);
      }),
    ),
  );
  return {
    status: 200,
    html: inboxPage({ asks: views.filter((view) => view !== undefined), now: Date.now(), href: (id) => `/inbox/${id}` }),
  };
}

const FAULT_STATUS: Record<LinkFault, number> = { unknown: 404, tampered: 403, 'other-recipient': 403, expired: 410, revoked: 410 };
const fault = (why: LinkFault): Page => ({ status: FAULT_STATUS[why], html: linkFaultPage(why) });
