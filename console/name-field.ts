import type { QuestionView } from '../shared/ask-view.ts';
import { eachOnce, isSamePerson } from '../shared/recipient.ts';
import { MAX_NAME, NAME_FIELD } from './fields.ts';
import { html, type Markup, verbatim } from './html.ts';
import type { Sent } from './sent.ts';
import { needsSeveral } from './words.ts';

/** The field that asks who answers: one of those who may where several must say yes, else any name or none. */
export function nameField(mine: readonly QuestionView[], sent: Sent): Markup {
  const several = mine.filter(needsSeveral);
  const required = several.length === mine.length ? html` required` : undefined;
  const names = namesFor(several);
  const hint = `Kept in the log beside your answer.${several.length > 0 ? ' Several different people must say yes.' : ''}`;
  return html`<div class="field"><label for="by">Your name${required ? '' : ' (optional)'}</label>
<p class="note" id="by-hint">${hint}</p>
${names.length > 0 ? oneOfNames(names, required, sent) : anyName(required, sent)}</div>`;
}

/** Those who may still answer a question that needs several people. */
const namesFor = (several: readonly QuestionView[]): string[] =>
  eachOnce(several.flatMap(({ approvers = [], said }) => approvers.filter((name) => !said.some(({ by }) => isSamePerson(by, name)))));

const anyName = (required: Markup | undefined, sent: Sent): Markup =>
  html`<input type="text" id="by" name="${NAME_FIELD}" value="${verbatim(sent.text(NAME_FIELD) ?? '')}" maxlength="${MAX_NAME}"${required} aria-describedby="by-hint">`;

const oneOfNames = (names: readonly string[], required: Markup | undefined, sent: Sent): Markup =>
  html`<select id="by" name="${NAME_FIELD}"${required} aria-describedby="by-hint">
<option value="">Choose your name</option>
${names.map(
  (name) => html`<option value="${name}"${isSamePerson(name, sent.text(NAME_FIELD)) ? html` selected` : undefined}>${name}</option>
`,
)}</select>`;
