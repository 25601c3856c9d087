import type { AskView, QuestionView } from '../shared/ask-view.ts';
import type { Decision } from '../shared/record.ts';
import { COMMENT_FIELD, decisionField, MAX_COMMENT, offered, outputField, takesOutput } from './fields.ts';
import { html, type Markup } from './html.ts';
import { grouped } from './plain-text.ts';
import { choiceOf, subjectOf } from './words.ts';
import { argumentsTable, written } from './written.ts';

/** Where a form is sent, and what is sent with it. */
export interface FormTarget {
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** The questions of an ask; with a target they stand in the form that answers them. */
export function askForm({ questions }: AskView, target: FormTarget | undefined): Markup {
  const sections = questions.map((question, i) => section(question, i, questions.length, target !== undefined));
  if (!target) return html`${sections}`;
  return html`<form method="post" action="${target.action}" autocomplete="off">
${Object.entries(target.fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${sections}
${comment}
<button type="submit">Send answer</button>
</form>`;
}

function section(question: QuestionView, i: number, count: number, open: boolean): Markup {
  const place = count > 1 ? html`<span class="place">${i + 1} of ${count}</span> ` : undefined;
  return html`<section class="question">
<h2>${place}${question.tool === undefined ? 'About the run' : html`<code>${subjectOf(question)}</code>`}${riskOf(question)}</h2>
${question.input === undefined ? undefined : argumentsTable(subjectOf(question), question.input)}
${written(AUTHORS[question.kind] ?? 'Why it is asked; it may quote the model', question.text)}
${open ? choices(question, i) : undefined}
</section>
`;
}

const AUTHORS: Partial<Record<QuestionView['kind'], string>> = { question: 'Question, written by the model' };

const riskOf = ({ risk }: QuestionView): Markup | undefined =>
  risk === 'high' ? html` <strong class="risk">High risk</strong>` : undefined;

const choices = (question: QuestionView, i: number): Markup => html`<fieldset>
<legend>Your decision on ${subjectOf(question)}</legend>
${offered(question).map((decision) => choice(question, decision, i))}
${offered(question).some(takesOutput) ? output(question, i) : undefined}
</fieldset>`;

function choice(question: QuestionView, decision: Decision, i: number): Markup {
  const { label, means } = choiceOf(decision, question);
  const id = `q${i}-${decision}`;
  return html`<div class="choice"><input type="radio" id="${id}" name="${decisionField(question)}" value="${decision}" required aria-describedby="${id}-means">
<label for="${id}"><span class="label">${label}</span> <span class="means" id="${id}-means">${means}</span></label></div>
`;
}

function output(question: QuestionView, i: number): Markup {
  const labels = offered(question)
    .filter(takesOutput)
    .map((decision) => `“${choiceOf(decision, question).label}”`);
  const hint = `Counts with ${labels.join(' or ')}. JSON, or plain text; to keep a text such as 42 from being read as JSON, put it in quotes.`;
  return html`<div class="field output"><label for="q${i}-output">Output</label>
<p class="note" id="q${i}-hint">${hint}</p>
<textarea id="q${i}-output" name="${outputField(question)}" rows="4" spellcheck="false" aria-describedby="q${i}-hint"></textarea></div>`;
}

const comment: Markup = html`<div class="field"><label for="comment">Comment (optional)</label>
<p class="note" id="comment-hint">Kept in the log and told to the agent. At most ${grouped(MAX_COMMENT)} characters.</p>
<textarea id="comment" name="${COMMENT_FIELD}" rows="3" maxlength="${MAX_COMMENT}" aria-describedby="comment-hint"></textarea></div>`;
