import type { AskView } from '../shared/ask-view.ts';
import { askForm, type FormTarget } from './ask-form.ts';
import { html, type Markup, textOf } from './html.ts';
import type { Mail } from './mail.ts';
import { oneLine, unlinked } from './plain-text.ts';
import { deadline } from './times.ts';
import { headline } from './words.ts';

/** An answer of high risk by a link: it needs a code that its recipient is sent. */

/** Whom the code goes to, and until when the one that was sent works (ms since the epoch); absent when none does. */
export interface CodeStep {
  readonly recipient: string;
  readonly until?: number;
}

const CODE_FIELD = 'code';
const SEND_FIELD = 'send-code';

/** Whether a form asks for a code, instead of answering. */
export const asksForCode = (body: string): boolean => new URLSearchParams(`&${body}`).has(SEND_FIELD);

/** The code in a form, without the spaces that people put into it; empty when there is none, or more than one. */
export function codeIn(body: string): string {
  const codes = new URLSearchParams(`&${body}`).getAll(CODE_FIELD);
  return codes.length === 1 ? (codes[0] ?? '').replace(/\s/g, '') : '';
}

/** The form of an ask; where a code is needed it comes once one was sent, and before that the button that has it sent. */
export function confirmedForm(view: AskView, now: number, target: FormTarget | undefined, step: CodeStep | undefined): Markup {
  if (!target || !step) return askForm(view, now, target);
  const { recipient, until } = step;
  const to = oneLine(recipient, 100);
  if (until === undefined)
    return html`${askForm(view, now, undefined)}
<section class="question"><h2>Confirm that it is you</h2>
<p>An answer of high risk needs a code of six digits besides this link. It goes to ${to} and works for ten minutes.</p>
${sendForm(target, 'Send me a code')}</section>`;
  return html`${askForm(view, now, { ...target, confirm: field(to, deadline(until, now)) })}
<section class="question"><h2>No code?</h2>
<p>Have another sent, at most one a minute. The one before works no more then.</p>
${sendForm(target, 'Send me another code')}</section>`;
}

const sendForm = ({ action, fields }: FormTarget, label: string): Markup => html`<form method="post" action="${action}">
${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button type="submit" name="${SEND_FIELD}" value="yes">${label}</button>
</form>`;

const field = (to: string, until: string): Markup => html`<div class="field"><label for="code">Code</label>
<p class="note" id="code-hint">Six digits, sent to ${to}. Works ${until}, once.</p>
<input type="text" id="code" name="${CODE_FIELD}" inputmode="numeric" autocomplete="one-time-code" maxlength="12" required aria-describedby="code-hint"></div>`;

const NOTES = [
  'Type it only into the page that you opened by your own link. Nobody needs it from you by mail, chat or telephone.',
  'If you did not ask for a code, somebody else has your link: tell who runs the agent.',
];

/** The letter that brings a code. It has no link. `minutes` says how long it works. */
export function codeMail(view: AskView, code: string, minutes: number): Mail {
  const about = `${unlinked(headline(view))} (run ${oneLine(view.runId, 64)})`;
  const lines = [`Your code is ${code}. It works for ${minutes} minutes, once.`, `It confirms your answer to: ${about}`, ...NOTES];
  return {
    subject: oneLine(`Your code: ${headline(view)}`, 150),
    text: `${lines.join('\n\n')}\n`,
    html: textOf(html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Your code</title></head>
<body style="margin:0;padding:16px;background:#ffffff;color:#1c1b19;font:16px/1.5 system-ui,-apple-system,Segoe UI,Roboto,sans-serif">
${lines.map(
  (line) => html`<p style="margin:0 0 12px">${line}</p>
`,
)}</body></html>
`),
  };
}
