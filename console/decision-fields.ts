import type { QuestionView } from '../shared/ask-view.ts';
import { inWords } from '../shared/raise.ts';
import type { AskedBudget, Decision } from '../shared/record.ts';
import { exactJson } from './arguments.ts';
import {
  amountField,
  decisionField,
  inputField,
  modelField,
  offered,
  optionField,
  outputField,
  takesModel,
  takesOutput,
} from './fields.ts';
import { html, type Markup, verbatim } from './html.ts';
import { excerpt, grouped, type Room, visible } from './plain-text.ts';
import { hasOptions } from './read-answer.ts';
import type { Sent } from './sent.ts';
import { choiceOf, subjectOf } from './words.ts';

/** The fields by which one question is answered. */
export interface Fields {
  readonly question: QuestionView;
  /** Where the question stands in the ask, from 0. */
  readonly place: number;
  /** `2 of 3` where there are several. */
  readonly rank: string | undefined;
  /** Whether the browser insists on a decision. */
  readonly required: boolean;
  /** Whether the arguments may be changed here. */
  readonly edits: boolean;
  /** What was sent before and not taken. */
  readonly sent: Sent;
}

/** The choices that a question offers, with what goes with them. Nothing is chosen but what was sent before. */
export function decisionFields(fields: Fields): Markup {
  const { question, rank } = fields;
  const about = question.kind === 'question' ? 'Your answer' : `Your decision on ${subjectOf(question)}`;
  return html`<fieldset>
<legend>${about}${rank === undefined || question.kind !== 'question' ? '' : ` (${rank})`}</legend>
${offered(question).map((decision) => html`${choice(fields, decision)}${besides(fields, decision)}`)}
${question.kind !== 'question' && offered(question).some(takesOutput) ? output(fields) : undefined}
${question.editable ? edit(fields) : undefined}
${offered(question).some((decision) => takesModel(question, decision)) ? modelInput(fields) : undefined}
</fieldset>`;
}

function choice({ question, place, required, sent }: Fields, decision: Decision): Markup {
  const { label, means } = choiceOf(decision, question);
  const id = `q${place}-${decision}`;
  const name = decisionField(question);
  return html`<div class="choice"><input type="radio" id="${id}" name="${name}" value="${decision}"${flag(required, html` required`)}${flag(sent.text(name) === decision, html` checked`)} aria-describedby="${id}-means">
<label for="${id}"><span class="label">${label}</span> <span class="means" id="${id}-means">${means}</span></label></div>
`;
}

const flag = (on: boolean, attribute: Markup): Markup | undefined => (on ? attribute : undefined);

/** The answer to a question stands right below its choice. */
function besides(fields: Fields, decision: Decision): Markup | undefined {
  if (decision === 'raise' && fields.question.budget) return amount(fields, fields.question.budget);
  if (fields.question.kind !== 'question' || decision !== 'result') return undefined;
  return hasOptions(fields.question) ? options(fields) : answer(fields);
}

const amount = ({ question, place, sent }: Fields, { unit, by, least, most }: AskedBudget): Markup => html`<div class="field amount">
<label for="q${place}-amount">${unit === 'costUsd' ? 'By how many US dollars' : `By how many ${unit}`}</label>
<p class="note" id="q${place}-amount-hint">Counts with “Raise the limit”. From ${inWords(unit, least)} to ${inWords(unit, most)}.</p>
<input type="text" inputmode="decimal" id="q${place}-amount" name="${amountField(question)}" value="${sent.text(amountField(question)) ?? String(by)}" size="14" autocomplete="off" aria-describedby="q${place}-amount-hint"></div>
`;

/** What is shown of an option: those that `ask_user` takes fit. */
const OPTION_ROOM: Room = { characters: 1_000, lines: 20 };

const options = ({ question, place, rank, sent }: Fields): Markup => html`<fieldset class="options">
<legend class="by">Answers to choose from, written by the model${rank === undefined ? '' : ` (${rank})`}</legend>
${(question.options ?? []).map((option, i) => {
  const id = `q${place}-option-${i}`;
  const name = optionField(question);
  return html`<div class="choice"><input type="radio" id="${id}" name="${name}" value="${option}"${flag(sent.text(name) === visible(option), html` checked`)}>
<label for="${id}">${optionText(option)}</label></div>
`;
})}</fieldset>
`;

function optionText(option: string): Markup {
  const { text, cut } = excerpt(option, OPTION_ROOM);
  const note = cut ? html` <span class="means">Cut: ${grouped(cut.shown)} of ${grouped(cut.of)} characters are shown.</span>` : undefined;
  return html`<span class="option">${text.trim() === '' ? '(empty)' : text}</span>${note}`;
}

const answer = ({
  question,
  place,
  sent,
}: Fields): Markup => html`<div class="field answer"><label for="q${place}-output">Text of your answer</label>
${textarea(`q${place}-output`, outputField(question), 4, sent.text(outputField(question)))}</div>
`;

function output({ question, place, sent }: Fields): Markup {
  const labels = offered(question)
    .filter(takesOutput)
    .map((decision) => `“${choiceOf(decision, question).label}”`);
  const hint = `Counts with ${labels.join(' or ')}. JSON, or plain text; to keep a text such as 42 from being read as JSON, put it in quotes.`;
  return html`<div class="field output"><label for="q${place}-output">Output</label>
<p class="note" id="q${place}-output-hint">${hint}</p>
${textarea(`q${place}-output`, outputField(question), 4, sent.text(outputField(question)), 'described')}</div>`;
}

function modelInput({ question, place, sent }: Fields): Markup {
  const id = `q${place}-model`;
  const name = modelField(question);
  return html`<div class="field model"><label for="${id}">Model to go on with</label>
<p class="note" id="${id}-hint">Counts with “${choiceOf('repin', question).label}”. Written as provider/model id.</p>
<input type="text" id="${id}" name="${name}" value="${sent.text(name) ?? ''}" maxlength="300" autocomplete="off" spellcheck="false" aria-describedby="${id}-hint"></div>`;
}

function edit({ question, place, edits, sent }: Fields): Markup {
  if (!edits) return html`<p class="note">These arguments are too long to be changed here.</p>`;
  const asked = exactJson(question.input ?? null);
  const text = sent.text(inputField(question)) ?? asked;
  const id = `q${place}-input`;
  return html`<details class="edit"${flag(text !== asked, html` open`)}><summary>Change the arguments</summary>
<div class="field"><label for="${id}">Arguments of ${subjectOf(question)}, as JSON</label>
<p class="note" id="${id}-hint">Counts with “Approve”: what stands here is what runs, once it is checked. Left as it is, exactly the arguments above run.</p>
${textarea(id, inputField(question), Math.min(20, text.split('\n').length + 1), text, 'described')}</div></details>`;
}

/** A reader of HTML drops the first line break in a text area, so that one is always there. */
const textarea = (id: string, name: string, rows: number, text = '', described?: 'described'): Markup =>
  html`<textarea id="${id}" name="${name}" rows="${rows}" spellcheck="false"${described && html` aria-describedby="${id}-hint"`}>
${verbatim(text)}</textarea>`;
