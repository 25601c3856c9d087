import { html, type Markup } from './html.ts';
import { page } from './page.ts';
import { oneLine } from './plain-text.ts';
import { moment } from './times.ts';

/** A mail that was not sent but kept. */
export interface OutboxMail {
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  /** ms since the epoch. */
  readonly at: number;
  /** Empty when the mail has only the other form. */
  readonly text: string;
  readonly html: string;
}

/** The page of the mails that this machine would have sent, in the order given. */
export const outboxPage = ({ mails }: { readonly mails: readonly OutboxMail[] }): string =>
  page(
    'Outbox',
    html`<h1>Outbox</h1>
<p>${mails.length === 0 ? 'No mail yet.' : 'Mails that were kept here instead of being sent.'}</p>
${mails.map(mailSection)}`,
  );

const mailSection = (
  { to, subject, at, text, html: body }: OutboxMail,
  i: number,
): Markup => html`<section class="mail" aria-labelledby="mail-${i}">
<h2 id="mail-${i}">${oneLine(subject, 200)}</h2>
<p class="note">To ${oneLine(to, 200)}, ${moment(at)}</p>
${body === '' ? undefined : frame(body, i)}
${text === '' ? undefined : html`<details><summary>As plain text</summary><pre><code>${text}</code></pre></details>`}
</section>
`;

/** The frame lets the mail do one thing: open a link in a new window. */
const frame = (body: string, i: number): Markup =>
  html`<iframe title="Mail ${i + 1}" sandbox="allow-popups allow-popups-to-escape-sandbox" srcdoc="${body}"></iframe>`;
