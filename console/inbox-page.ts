import type { AskView } from '../shared/ask-view.ts';
import type { Json } from '../shared/json.ts';
import { argumentsOf } from './arguments.ts';
import { html, type Markup } from './html.ts';
import { page } from './page.ts';
import { oneLine } from './plain-text.ts';
import { deadline, distance, moment } from './times.ts';
import { headline, stateAt, subjectOf, waitedFor } from './words.ts';

/** The open asks, and the address of each one's page. */
export interface Inbox {
  readonly asks: readonly AskView[];
  /** ms since the epoch. */
  readonly now: number;
  readonly href: (id: string) => string;
  /** The address of the page with the asks of older runs, where there are some. */
  readonly older?: string;
  /** The address of the first page, where this is another. */
  readonly newest?: string;
}

/** The page that lists what waits for a person. */
export function inboxPage({ asks, now, href, older, newest }: Inbox): string {
  const open = asks.filter((view) => stateAt(view, now).is === 'open');
  const count = open.length === 1 ? '1 ask waits' : `${open.length} asks wait`;
  const where = older === undefined && newest === undefined ? '' : ' on this page';
  return page(
    'Inbox',
    html`<h1>Inbox</h1>
<p>${open.length === 0 ? `Nothing${where} waits for an answer.` : `${count}${where} for an answer.`}</p>
${
  open.length === 0
    ? undefined
    : html`<ul class="list">
${open.map((view) => entry(view, now, href(view.id)))}</ul>`
}
${where === '' ? undefined : html`<nav aria-label="Pages"><p>${[way(newest, 'Newest asks'), way(older, 'Older asks')]}</p></nav>`}`,
  );
}

const way = (href: string | undefined, label: string): Markup | undefined =>
  href === undefined
    ? undefined
    : html`<a href="${href}">${label}</a>
`;

const entry = (view: AskView, now: number, href: string): Markup => html`<li><h2><a href="${href}">${headline(view)}</a></h2>
${view.questions.some(({ risk }) => risk === 'high') ? html`<p><strong class="risk">High risk</strong></p>` : undefined}
${calls(view)}
<p>${openWords(view)}</p>
<p class="note">Asked ${distance(view.askedAt, now)}, on ${moment(view.askedAt)}, by run <code>${oneLine(view.runId, 64)}</code>. Answer ${deadline(view.expiresAt, now)}.</p></li>
`;

/** Says how much of an ask is open, and for whom it waits. */
function openWords({ questions }: AskView): string {
  const open = questions.filter(({ settled }) => !settled);
  const waits = `waits for ${[...new Set(open.map(waitedFor))].slice(0, 5).join('; for ')}`;
  if (questions.length === 1) return `1 question is open and ${waits}.`;
  const count = `${open.length} of ${questions.length} questions ${open.length === 1 ? 'is' : 'are'} open`;
  return `${count}: ${waits}.`;
}

/** The calls in a line each; everything about them is on the ask's own page. */
function calls({ questions }: AskView): Markup {
  const lines = questions
    .slice(0, 5)
    .map((question) =>
      question.input === undefined || question.kind === 'question' ? question.text : `${subjectOf(question)}(${brief(question.input)})`,
    );
  const more = questions.length - lines.length;
  return html`<div class="written"><p class="by">In short; it may quote the model</p>
${lines.map((line) => html`<pre><code>${oneLine(line, 200)}</code></pre>`)}
${more > 0 ? html`<p class="note">… and ${more} more</p>` : undefined}</div>`;
}

const brief = (input: Json): string =>
  argumentsOf(input)
    .slice(0, 10)
    .map(({ key, value }) => `${oneLine(key, 40)}: ${oneLine(value, 80)}`)
    .join(', ');
