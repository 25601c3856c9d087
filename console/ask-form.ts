import type { AskView, QuestionView } from '../shared/ask-view.ts';
import { exactJson } from './arguments.ts';
import { decisionFields } from './decision-fields.ts';
import { BULK_FIELD, COMMENT_FIELD, inBulk, inputField, MAX_COMMENT } from './fields.ts';
import { html, type Markup, verbatim } from './html.ts';
import { nameField } from './name-field.ts';
import { grouped } from './plain-text.ts';
import type { Sent } from './sent.ts';
import { standing } from './standing.ts';
import { authorOf, subjectOf } from './words.ts';
import { argumentsTable, written } from './written.ts';

/** Where a form is sent, what is sent with it, whether it asks who answers, and what was sent before. */
export interface FormTarget {
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly asksName: boolean;
  readonly sent: Sent;
  /** What confirms the answer. */
  readonly confirm?: Markup;
}

/** The questions of an ask; with a target, those that the one who looks may answer stand in the form that answers them. */
export function askForm(view: AskView, now: number, target: FormTarget | undefined): Markup {
  const mine = view.questions.filter((question) => question.mine);
  const sections = view.questions.map((question, place) => section({ view, now, question, place, mine, target }));
  if (!target) return html`${sections}`;
  return html`<form method="post" action="${target.action}" autocomplete="off">
${Object.entries(target.fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${sections}
${comment(target.sent)}
${target.asksName ? nameField(mine, target.sent) : undefined}
${target.confirm}
${buttons(mine)}
</form>`;
}

interface Section {
  readonly view: AskView;
  readonly now: number;
  readonly question: QuestionView;
  readonly place: number;
  readonly mine: readonly QuestionView[];
  readonly target: FormTarget | undefined;
}

function section({ view, now, question, place, mine, target }: Section): Markup {
  const count = view.questions.length;
  const rank = count > 1 ? `${place + 1} of ${count}` : undefined;
  const required = mine.length === 1 && question.kind !== 'question';
  const edits = mayEdit(mine).includes(question);
  return html`<section class="question">
<h2>${rank === undefined ? undefined : html`<span class="place">${rank}</span> `}${titleOf(question)}${riskOf(question)}</h2>
${question.kind === 'question' ? asked(question) : called(question)}
${question.kind === 'callback' && !question.settled ? AWAITED : undefined}
${standing(question, view, now)}
${target && question.mine ? decisionFields({ question, place, rank, required, edits, sent: target.sent }) : undefined}
</section>
`;
}

const titleOf = (question: QuestionView): string | Markup => {
  if (question.kind === 'question') return 'Question';
  return question.tool === undefined ? 'About the run' : html`<code>${subjectOf(question)}</code>`;
};

const riskOf = ({ risk }: QuestionView): Markup | undefined =>
  risk === 'high' ? html` <strong class="risk">High risk</strong>` : undefined;

const called = (question: QuestionView): Markup =>
  html`${question.input === undefined ? undefined : argumentsTable(subjectOf(question), question.input)}
${written(authorOf(question), question.text)}`;

/** Of a question the words come first; its arguments mostly say the same. */
const asked = (question: QuestionView): Markup => html`${written(authorOf(question), question.text)}
${
  question.input === undefined
    ? undefined
    : html`<details><summary>The call that asks</summary>${argumentsTable(subjectOf(question), question.input)}</details>`
}`;

const AWAITED = html`<p>The result is awaited from outside: nothing needs to be done here unless it does not come.</p>`;

/** What the arguments in the fields of one form may take when they are sent, bytes. */
const MAX_EDIT_BYTES = 40_000;

/** The questions whose arguments can be changed in the form: those that fit into it, in order. */
function mayEdit(mine: readonly QuestionView[]): QuestionView[] {
  let bytes = 0;
  return mine.filter((question) => {
    if (!question.editable) return false;
    const size = sentSize(question);
    if (bytes + size > MAX_EDIT_BYTES) return false;
    bytes += size;
    return true;
  });
}

const sentSize = (question: QuestionView): number =>
  new URLSearchParams([[inputField(question), exactJson(question.input ?? null).replaceAll('\n', '\r\n')]]).toString().length;

const comment = (sent: Sent): Markup => html`<div class="field"><label for="comment">Comment (optional)</label>
<p class="note" id="comment-hint">Kept in the log and told to the agent. At most ${grouped(MAX_COMMENT)} characters.</p>
<textarea id="comment" name="${COMMENT_FIELD}" rows="3" maxlength="${MAX_COMMENT}" aria-describedby="comment-hint">
${verbatim(sent.text(COMMENT_FIELD) ?? '')}</textarea></div>`;

/** The first button is the one that Enter presses: it never decides for all. */
function buttons(mine: readonly QuestionView[]): Markup {
  const count = inBulk(mine).length;
  const open = mine.length > 1 ? html`<p class="note">What has no decision stays open.</p>` : undefined;
  const bulk = html`<div class="bulk"><p class="note" id="bulk-hint">Or decide the ${count} calls that wait for consent at once:</p>
${(['approve', 'deny'] as const).map(
  (
    word,
  ) => html`<button type="submit" name="${BULK_FIELD}" value="${word}" formnovalidate aria-describedby="bulk-hint">${word === 'approve' ? 'Approve' : 'Deny'} all ${count}</button>
`,
)}</div>`;
  return html`${open}<button type="submit">Send answer</button>
${count > 0 ? bulk : undefined}`;
}
