import { askPage } from '../console/ask-page.ts';
import { asksForCode, codeIn } from '../console/code-field.ts';
import { readForm } from '../console/form.ts';
import { inboxPage } from '../console/inbox-page.ts';
import { linkFaultPage } from '../console/link-page.ts';
import { messagePage } from '../console/message-page.ts';
import { asOf } from '../console/words.ts';
import { type AskView, type LinkFault, viewOfAsk } from '../shared/ask-view.ts';
import { ProblemError } from '../shared/errors.ts';
import type { FileRef } from '../shared/file.ts';
import type { Meta } from '../shared/meta.ts';
import { webhookOf } from '../shared/recipient.ts';
import type { Ask } from '../shared/record.ts';
import { isRunId } from '../shared/tables.ts';
import { findAsk, readAsk } from './lib/ask-store.ts';
import { checkCode, codeStepOf, needsCode, type Refusal, sendCode } from './lib/confirm.ts';
import { withEdits } from './lib/edits.ts';
import { filesOnPage } from './lib/files-on-page.ts';
import type { HttpEvent } from './lib/http.ts';
import { readable } from './lib/item.ts';
import { bearerOf, nonceOf, openLink } from './lib/links.ts';
import { readLog } from './lib/log-store.ts';
import { mustRead } from './lib/meta-store.ts';
import { type Notice, noticeSummaryOf, readNotices, useUpCode } from './lib/notice-store.ts';
import { formOf, type Page, pageHandler } from './lib/page.ts';
import { type Answerer, recordAnswer } from './lib/record-answer.ts';
import { withPins } from './lib/repin.ts';
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
  readonly meta: Meta;
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
  const notice = await openLink(found.meta.runId, found.ask.seq, p, t, Date.now());
  if (typeof notice === 'string') return fault(notice);
  const bearer = bearerOf(notice, found.ask);
  const view = await viewOf(found.meta, found.ask, bearer);
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
  const view = await viewOf(found.meta, found.ask);
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
  if (intent === 'show' || visit.view.state.is !== 'open') return shown(visit, 200);
  const sent = formOf(event);
  if (sent === undefined) return shown(visit, 413, { notice: 'The form was too large. Nothing was decided.' });
  if (new URLSearchParams(sent).get('nonce') !== visit.fields.nonce)
    return shown(visit, 403, { notice: 'The form did not come from this page. Nothing was decided.' });
  if (visit.confirm && asksForCode(sent)) {
    const unsent = await sendCode(visit.view, visit.confirm, now);
    return unsent ? shown(visit, unsent.status, { notice: unsent.text }) : { location: visit.page };
  }
  const refused = await take(visit, sent, now);
  if (!refused) return { location: visit.page };
  const again = refused.status === 409 ? await lookAgain(visit) : visit;
  return again ? shown(again, refused.status, { sent, notice: `${refused.text} Nothing was decided.` }) : { location: visit.page };
}

/** Where a file is saved from by those whom the API lets in; whoever has but a link is not among them. */
const hrefIn =
  ({ runId }: Meta) =>
  ({ sha256, name }: FileRef): string =>
    `/runs/${runId}/files/${sha256}${name === undefined ? '' : `?name=${encodeURIComponent(name.toWellFormed().slice(0, 200))}`}`;

const asksName = ({ who }: Visit): boolean => who.via === 'inbox';

async function shown(visit: Visit, status: number, more: { notice?: string; sent?: string } = {}): Promise<Page> {
  const now = Date.now();
  const code = visit.confirm && (await codeStepOf(visit.confirm, now));
  const files = await filesOnPage(visit.meta, visit.view, asksName(visit) ? hrefIn(visit.meta) : undefined);
  const notices = asksName(visit) ? (await readNotices(visit.meta.runId, visit.ask.seq)).map(noticeSummaryOf) : [];
  return { status, html: askPage({ ...visit, asksName: asksName(visit), files, notices, now, ...more, ...(code ? { code } : {}) }) };
}

/** Somebody else was first, or the run has gone on: the visit as it stands now, if there is still something to answer. */
async function lookAgain(visit: Visit): Promise<Visit | undefined> {
  const view = await viewOf(await mustRead(visit.meta.runId), visit.ask, visit.view.recipient);
  return view.state.is === 'open' && view.questions.some(({ mine }) => mine) ? { ...visit, view } : undefined;
}

/** Records what a form says. Returns why it was not, or undefined. */
async function take(visit: Visit, sent: string, now: number): Promise<Refusal | undefined> {
  const { meta, ask, view, who, confirm } = visit;
  const form = readForm(sent, asOf(view, now).questions, asksName(visit));
  if ('fault' in form) return { status: 400, text: form.fault };
  const unconfirmed = confirm && (await checkCode(confirm, codeIn(sent), now));
  if (unconfirmed) return unconfirmed;
  try {
    const named = form.by === undefined ? who : { ...who, by: form.by };
    const by = asksName(visit) ? form.by : who.by;
    const judged = async () => withPins(meta, ask, await withEdits(meta, ask, form.answers), by);
    await recordAnswer(meta.runId, ask.seq, named, judged);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return { status: error.status, text: `${error.message}.` };
  }
  if (confirm) await useUpCode(confirm);
  return undefined;
}

const viewOf = async (meta: Meta, ask: Ask, recipient?: string): Promise<AskView> =>
  viewOfAsk(meta, await readLog(meta.runId), ask, recipient);

/** Asks on one page of the inbox: for each the log of its run is read. */
const INBOX_PAGE = 50;

async function inbox({ queryStringParameters: { before } = {} }: HttpEvent): Promise<Page> {
  const from = before !== undefined && isRunId(before) ? before : undefined;
  const { runs, next } = await listRuns({ statuses: ['waiting'], before: from, limit: INBOX_PAGE });
  const views = await Promise.all(
    runs.map((meta) =>
      readable(async () => {
        const found = meta.waiting && (await readAsk(meta.runId, meta.waiting.seq));
        return found && viewOf(meta, found.ask);
      }),
    ),
  );
  return {
    status: 200,
    html: inboxPage({
      asks: views.filter((view) => view !== undefined),
      now: Date.now(),
      href: (id) => `/inbox/${id}`,
      ...(from === undefined ? {} : { newest: '/inbox' }),
      ...(next === undefined ? {} : { older: `/inbox?before=${next}` }),
    }),
  };
}

const FAULT_STATUS: Record<LinkFault, number> = { unknown: 404, tampered: 403, 'other-recipient': 403, expired: 410, revoked: 410 };
const fault = (why: LinkFault): Page => ({ status: FAULT_STATUS[why], html: linkFaultPage(why) });
