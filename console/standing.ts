import type { AskView, QuestionView, SaidView } from '../shared/ask-view.ts';
import { html, type Markup } from './html.ts';
import { moment } from './times.ts';
import { amountOf, choiceOf, person, standingWords } from './words.ts';
import { changesTable, written, writtenValue } from './written.ts';

const WAYS: Record<SaidView['via'], string> = {
  'mail link': 'by mail link',
  'webhook link': 'by webhook link',
  inbox: 'in the inbox',
  API: 'by the API',
  callback: 'by callback',
  policy: 'by the policy of the agent',
  clock: 'by the clock',
};

/** What was said to a question so far, and what it waits for. */
export function standing(question: QuestionView, view: AskView, now: number): Markup | undefined {
  const words = view.state.is === 'open' ? standingWords(question, view, now) : [];
  if (words.length === 0 && question.said.length === 0) return undefined;
  const said = question.said.map((each) => saying(each, question));
  return html`<div class="standing">${words.length > 0 ? html`<p>${words.join(' ')}</p>` : undefined}
${said.length > 0 ? html`<ol class="said" aria-label="What was said so far">${said}</ol>` : undefined}</div>`;
}

function saying(said: SaidView, question: QuestionView): Markup {
  const by = person(said.by);
  return html`<li><p><strong>${choiceOf(said.decision, question).label}${amountOf(said, question)}</strong>: ${by}, on ${moment(said.at)}, ${WAYS[said.via]}</p>
${said.edited === undefined ? undefined : changesTable(by, question.input, said.edited)}
${said.output === undefined ? undefined : writtenValue(`${question.kind === 'question' ? 'Answer' : 'Output'}, given by ${by}`, said.output)}
${said.comment === undefined ? undefined : written(`Comment, written by ${by}`, said.comment)}</li>
`;
}
