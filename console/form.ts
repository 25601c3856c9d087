import type { QuestionView } from '../shared/ask-view.ts';
import { isShallow, type Json } from '../shared/json.ts';
import type { AnswerTo, Decision } from '../shared/record.ts';
import { COMMENT_FIELD, decisionField, MAX_COMMENT, offered, outputField, takesOutput } from './fields.ts';
import { grouped, oneLine } from './plain-text.ts';
import { subjectOf } from './words.ts';

/** The answers that a form holds, or the sentence that says why it holds none. */
export type Reading = { readonly answers: AnswerTo[] } | { readonly fault: string };

/** A decision with what a person vouches for, or a fault. */
type Read<T> = { readonly value: T } | { readonly fault: string };

/** Reads the posted form of the page. Nothing but the exact word of an offered choice, given once, is a decision. */
export function readForm(body: string, questions: readonly QuestionView[]): Reading {
  // Without the `&` a leading `?` would be skipped.
  const form = new URLSearchParams(`&${body}`);
  const comment = commentIn(form);
  const reads = questions.map((question) => answerIn(form, question));
  const faults = [comment, ...reads].flatMap((read) => ('fault' in read ? [read.fault] : []));
  if (faults.length > 0 || 'fault' in comment) return { fault: faults.join(' ') };
  const said = comment.value === undefined ? {} : { comment: comment.value };
  return { answers: reads.flatMap((read) => ('value' in read ? [{ ...read.value, ...said }] : [])) };
}

function commentIn(form: URLSearchParams): Read<string | undefined> {
  const texts = form.getAll(COMMENT_FIELD);
  if (texts.length > 1) return { fault: 'The comment was sent more than once.' };
  const comment = unix(texts[0] ?? '').trim();
  if (comment.length > MAX_COMMENT)
    return { fault: `The comment has ${grouped(comment.length)} characters, and ${grouped(MAX_COMMENT)} is the limit.` };
  return { value: comment === '' ? undefined : comment };
}

function answerIn(form: URLSearchParams, question: QuestionView): Read<AnswerTo> {
  const decision = decisionIn(form, question);
  if ('fault' in decision) return decision;
  const output = outputIn(form, question, decision.value);
  if ('fault' in output) return output;
  return {
    value: {
      ...(question.index === undefined ? {} : { index: question.index }),
      decision: decision.value,
      ...(output.value === undefined ? {} : { output: output.value }),
    },
  };
}

function decisionIn(form: URLSearchParams, question: QuestionView): Read<Decision> {
  const words = form.getAll(decisionField(question));
  const choices = offered(question);
  const decision = choices.find((choice) => choice === words[0]);
  if (decision && words.length === 1) return { value: decision };
  const found = words.length > 1 ? `${words.length} decisions were sent` : words[0] ? `not “${oneLine(words[0], 40)}”` : 'none was chosen';
  return { fault: `The decision on ${subjectOf(question)} must be one of ${choices.join(', ')}: ${found}.` };
}

/** What stands in the field counts only for a decision that takes an output: else the field is not shown. */
function outputIn(form: URLSearchParams, question: QuestionView, decision: Decision): Read<Json | undefined> {
  const texts = form.getAll(outputField(question));
  if (texts.length > 1) return { fault: `The output of ${subjectOf(question)} was sent more than once.` };
  const text = unix(texts[0] ?? '').trim();
  if (!takesOutput(decision)) return { value: undefined };
  if (text === '') return decision === 'result' ? { fault: `“result” needs the output of ${subjectOf(question)}.` } : { value: undefined };
  return { value: jsonOr(text) };
}

/** JSON where it is JSON and nothing is lost by it: an order number of twenty digits stays the text that it is. */
function jsonOr(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    return isShallow(value) && (typeof value !== 'number' || String(value) === text) ? value : text;
  } catch {
    return text;
  }
}

/** Browsers send line breaks as CR LF. */
const unix = (text: string): string => text.replaceAll('\r\n', '\n');
