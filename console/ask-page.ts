import type { NoticeSummary } from '../shared/api.ts';
import type { AskView } from '../shared/ask-view.ts';
import { askOutcome } from './ask-outcome.ts';
import { background } from './background.ts';
import { type CodeStep, confirmedForm } from './code-field.ts';
import { html, type Markup } from './html.ts';
import { page } from './page.ts';
import { type PageFile, pageFiles } from './page-files.ts';
import { oneLine } from './plain-text.ts';
import { sentOf } from './sent.ts';
import { deadline, moment } from './times.ts';
import { told } from './told.ts';
import { asOf, headline, named } from './words.ts';

/**
 * What an ask's page is made of. `action` is the form's address, `fields` are sent with it unseen, `notice` says what became
 * of the form just sent, and `sent` is that form: what was written in it stands in the page again.
 */
export interface AskPage {
  readonly view: AskView;
  /** ms since the epoch. */
  readonly now: number;
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly notice?: string;
  readonly sent?: string;
  /** Whether the form asks who answers: a link says it by itself. */
  readonly asksName?: boolean;
  /** The files of what is asked and of what was done before. */
  readonly files?: readonly PageFile[];
  /** Who was told of it, for those who may know. */
  readonly notices?: readonly NoticeSummary[];
  /** Present when the answer needs a code. */
  readonly code?: CodeStep;
}

/** The page of one ask: what is asked, by whom and until when; then the form, or what became of the ask. */
export function askPage({
  view: given,
  now,
  action,
  fields,
  notice,
  sent,
  asksName = false,
  files = [],
  notices = [],
  code,
}: AskPage): string {
  const view = asOf(given, now);
  const open = view.state.is === 'open';
  const answers = open && view.questions.some(({ mine }) => mine);
  const main = html`<h1>${headline(view)}</h1>
${notice === undefined ? undefined : html`<p class="fault" role="alert">${notice}</p>`}
${answers ? undefined : askOutcome(view, view.state)}
${facts(view, now, open)}
${confirmedForm(view, now, answers ? { action, fields, asksName, sent: sentOf(sent) } : undefined, code)}
${pageFiles(files)}${told(notices)}${background(view)}`;
  return page(headline(view), main);
}

const facts = (view: AskView, now: number, open: boolean): Markup => html`<dl class="facts">
<div><dt>Asked by</dt><dd>agent ${named(view.agent)}, run <code>${oneLine(view.runId, 64)}</code></dd></div>
${view.parent && html`<div><dt>The run</dt><dd>${origin(view.parent)}</dd></div>`}
${view.restartedAs === undefined ? undefined : html`<div><dt>Goes on as</dt><dd>run <code>${oneLine(view.restartedAs, 64)}</code>, which starts it over</dd></div>`}
<div><dt>Asked on</dt><dd>${moment(view.askedAt)}</dd></div>
${open ? html`<div><dt>Answer</dt><dd><strong>${deadline(view.expiresAt, now)}</strong></dd></div>` : undefined}
${view.recipient === undefined ? undefined : html`<div><dt>For</dt><dd>${oneLine(view.recipient, 100)}</dd></div>`}
<div><dt>Reason</dt><dd>${oneLine(view.reason, 200)}</dd></div>
</dl>`;

const origin = ({ kind, runId, at, by }: NonNullable<AskView['parent']>): Markup =>
  kind === 'restart'
    ? html`starts run <code>${oneLine(runId, 64)}</code> over, by ${oneLine(by, 100)}`
    : html`branches off from run <code>${oneLine(runId, 64)}</code> after record ${at}, by ${oneLine(by, 100)}`;
