import type { QuestionView } from '../shared/ask-view.ts';
import { longNumberIn } from '../shared/exact-json.ts';
import { canonical, isShallow, type Json } from '../shared/json.ts';
import { raiseFault } from '../shared/raise.ts';
import type { AnswerTo, Decision } from '../shared/record.ts';
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
  unix,
} from './fields.ts';
import { oneLine, visible } from './plain-text.ts';
import { subjectOf } from './words.ts';

/** What a person asks to be recorded; `input` are the arguments put in place of those asked about, not yet checked. */
export type AnswerRequestEntry = Omit<AnswerTo, 'edit'> & { readonly input?: Json; readonly model?: string };

/** What stands in a form, or the sentence that says why it is not taken. */
export type Read<T> = { readonly value: T } | { readonly fault: string };

/** What no field of the form says. */
const nothing = { value: undefined } as const;

/** Reads what a form says to one question; undefined when it decides nothing. `all` is what a button for all calls decides. */
export function answerIn(form: URLSearchParams, question: QuestionView, all?: Decision): Read<AnswerRequestEntry | undefined> {
  const decision = decisionIn(form, question, all);
  if ('fault' in decision) return decision;
  const output = outputIn(form, question, decision.value);
  if ('fault' in output) return output;
  const input = inputIn(form, question, decision.value);
  if ('fault' in input || decision.value === undefined) return input as Read<undefined>;
  const model = modelIn(form, question, decision.value);
  if ('fault' in model) return model;
  const amount = amountIn(form, question, decision.value);
  if ('fault' in amount) return amount;
  return {
    value: {
      ...(question.index === undefined ? {} : { index: question.index }),
      decision: decision.value,
      ...(output.value === undefined ? {} : { output: output.value }),
      ...(input.value === undefined ? {} : { input: input.value }),
      ...(amount.value === undefined ? {} : { amount: amount.value }),
      ...(model.value === undefined ? {} : { model: model.value }),
    },
  };
}

/** The model that a run goes on with, where one must be named. */
function modelIn(form: URLSearchParams, question: QuestionView, decision: Decision): Read<string | undefined> {
  if (!takesModel(question, decision)) return nothing;
  const texts = form.getAll(modelField(question));
  const text = (texts[0] ?? '').trim();
  if (texts.length > 1) return { fault: 'The model was sent more than once.' };
  return text === '' ? { fault: 'Name the model that the run goes on with, as provider/model id.' } : { value: text };
}

/** Why a form that says nothing to its only question is not taken. */
export const undecided = (question: QuestionView): string =>
  question.kind === 'question'
    ? `${subjectOf(question)} needs an answer: write or choose one, decline, or abort.`
    : wrongWord(question, 'none was chosen');

const wrongWord = (question: QuestionView, found: string): string =>
  `The decision on ${subjectOf(question)} must be one of ${offered(question).join(', ')}: ${found}.`;

function decisionIn(form: URLSearchParams, question: QuestionView, all: Decision | undefined): Read<Decision | undefined> {
  const words = form.getAll(decisionField(question));
  const given = words.length > 0 ? words : [all ?? impliedIn(form, question)].filter((word) => word !== undefined);
  const [word, ...more] = given;
  if (word === undefined) return nothing;
  const decision = offered(question).find((choice) => choice === word);
  if (!decision || more.length > 0) return { fault: wrongWord(question, foundIn(given)) };
  if (all && decision !== all)
    return { fault: `“${all} all” contradicts “${decision}” of ${subjectOf(question)}: send each decision, or one for all.` };
  return { value: decision };
}

const foundIn = (words: readonly string[]): string =>
  words.length > 1 ? `${words.length} decisions were sent` : words[0] ? `not “${oneLine(words[0], 40)}”` : 'none was chosen';

/** Whoever writes or chooses an answer to a question answers it. That is never a yes to anything. */
function impliedIn(form: URLSearchParams, question: QuestionView): Decision | undefined {
  if (question.kind !== 'question') return undefined;
  const field = hasOptions(question) ? optionField(question) : outputField(question);
  return form.getAll(field).some((text) => text.trim() !== '') ? 'result' : undefined;
}

/** Whether the answer is one of some. */
export const hasOptions = ({ kind, options = [] }: QuestionView): boolean => kind === 'question' && options.length > 0;

/** What stands in the field counts only for a decision that takes an output: else the field is not shown. */
function outputIn(form: URLSearchParams, question: QuestionView, decision: Decision | undefined): Read<Json | undefined> {
  if (hasOptions(question)) return decision === 'result' ? optionIn(form, question) : nothing;
  const texts = form.getAll(outputField(question));
  if (texts.length > 1) return { fault: `The output of ${subjectOf(question)} was sent more than once.` };
  const text = unix(texts[0] ?? '').trim();
  if (decision === undefined && text !== '') return { fault: `There is an output of ${subjectOf(question)}, and no decision on it.` };
  if (!decision || !takesOutput(decision)) return nothing;
  if (text !== '') return { value: question.kind === 'question' ? text : jsonOr(text) };
  const what = question.kind === 'question' ? 'the answer to' : 'the output of';
  return decision === 'result' ? { fault: `“result” needs ${what} ${subjectOf(question)}.` } : nothing;
}

/** By how much a limit is raised; an empty field stands for what is offered. */
function amountIn(form: URLSearchParams, question: QuestionView, decision: Decision): Read<number | undefined> {
  const { budget } = question;
  if (decision !== 'raise' || !budget) return nothing;
  const texts = form.getAll(amountField(question));
  if (texts.length > 1) return { fault: 'The amount was sent more than once.' };
  const text = (texts[0] ?? '').trim();
  const amount = text === '' ? budget.by : /^\d{1,15}(\.\d{1,10})?$/.test(text) ? Number(text) : Number.NaN;
  const fault = raiseFault(budget, amount);
  return fault ? { fault: `${fault.charAt(0).toUpperCase()}${fault.slice(1)}.` } : { value: amount };
}

/** A browser sends an option as the page shows it. */
function optionIn(form: URLSearchParams, question: QuestionView): Read<Json> {
  const texts = form.getAll(optionField(question)).map(unix);
  const chosen = question.options?.find((option) => visible(option) === texts[0]);
  if (chosen !== undefined && texts.length === 1) return { value: chosen };
  const found = texts.length > 1 ? `${texts.length} were sent` : texts[0] ? `not “${oneLine(texts[0], 40)}”` : 'none was chosen';
  return { fault: `The answer to ${subjectOf(question)} must be one of its options: ${found}.` };
}

/** JSON where it is JSON and nothing is lost by it: an order number of twenty digits stays the text that it is. */
function jsonOr(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    return isShallow(value) && longNumberIn(text) === undefined && (typeof value !== 'number' || String(value) === text) ? value : text;
  } catch {
    return text;
  }
}

/** The arguments that were put in place of those asked about; what means the same is no change. */
function inputIn(form: URLSearchParams, question: QuestionView, decision: Decision | undefined): Read<Json | undefined> {
  const texts = form.getAll(inputField(question));
  const subject = subjectOf(question);
  if (texts.length > 1) return { fault: `The arguments of ${subject} were sent more than once.` };
  if (texts[0] === undefined) return nothing;
  const input = objectIn(texts[0], subject);
  if ('fault' in input || canonical(input.value) === canonical(question.input ?? null)) return 'fault' in input ? input : nothing;
  if (!question.editable) return { fault: `The arguments of ${subject} cannot be changed.` };
  if (decision === undefined) return { fault: `The arguments of ${subject} were changed, and there is no decision on it.` };
  return decision === 'approve'
    ? input
    : { fault: `The arguments of ${subject} were changed, which goes with “approve” and not with “${decision}”.` };
}

function objectIn(text: string, subject: string): Read<Json> {
  const lossy: string[] = [];
  try {
    const value: unknown = JSON.parse(text, (_key, each: unknown, context?: { source?: string }) => {
      if (typeof each === 'number' && !isExact(each, context?.source)) lossy.push(context?.source ?? '');
      return each;
    });
    if (lossy[0] !== undefined)
      return {
        fault: `The number ${oneLine(lossy[0], 40)} in the arguments of ${subject} has too many digits to be kept: put it in quotes.`,
      };
    if (isShallow(value) && typeof value === 'object' && value !== null && !Array.isArray(value)) return { value };
  } catch {
    // The same sentence as for any other text that is no object.
  }
  return { fault: `The changed arguments of ${subject} are no JSON object.` };
}

/** Fifteen digits are always kept; of more, those that JavaScript writes the same way. */
function isExact(value: number, source = String(value)): boolean {
  const digits = source
    .replace(/e.*$/i, '')
    .replace(/\D/g, '')
    .replace(/^0+|0+$/g, '');
  return Number.isFinite(value) && (digits.length <= 15 || String(value) === source);
}
