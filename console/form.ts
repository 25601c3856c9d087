import type { QuestionView } from '../shared/ask-view.ts';
import type { Decision } from '../shared/record.ts';
import { BULK_FIELD, COMMENT_FIELD, decisionField, fieldsOf, inBulk, MAX_COMMENT, optionField, unix } from './fields.ts';
import { grouped, oneLine } from './plain-text.ts';
import { type AnswerRequestEntry, answerIn, type Read, undecided } from './read-answer.ts';
import { nameIn } from './read-name.ts';
import { subjectOf } from './words.ts';

export type { AnswerRequestEntry } from './read-answer.ts';

/** The answers that a form holds, and who gave them if the form asks that; or the sentence that says why it holds none. */
export type Reading = { readonly answers: AnswerRequestEntry[]; readonly by?: string } | { readonly fault: string };

/**
 * Reads the posted form of the page. Nothing but the exact word of an offered choice, given once, is a decision; an answer
 * to a question counts without one. What is left open is not among the answers. With `asksName` it says who answers.
 */
export function readForm(body: string, questions: readonly QuestionView[], asksName = false): Reading {
  const form = fieldsOf(body);
  const mine = questions.filter((question) => question.mine);
  const all = bulkIn(form, mine);
  const comment = commentIn(form);
  const reads = mine.map((question) => answerIn(form, question, 'value' in all && inBulk(mine).includes(question) ? all.value : undefined));
  const answers = reads.flatMap((read) => ('value' in read && read.value ? [read.value] : []));
  const decided = mine.filter(({ index }) => answers.some((answer) => answer.index === index));
  const name = asksName ? nameIn(form, decided) : { value: undefined };
  const faults = [all, comment, ...reads, name].flatMap((read) => ('fault' in read ? [read.fault] : []));
  faults.push(...questions.flatMap((question) => strayFault(form, question) ?? []));
  if (faults.length === 0 && answers.length === 0) faults.push(nothingDecided(mine));
  if (faults.length > 0 || 'fault' in comment || 'fault' in name) return { fault: faults.join(' ') };
  const said = comment.value === undefined ? {} : { comment: comment.value };
  return { answers: answers.map((answer) => ({ ...answer, ...said })), ...(name.value === undefined ? {} : { by: name.value }) };
}

function commentIn(form: URLSearchParams): Read<string | undefined> {
  const texts = form.getAll(COMMENT_FIELD);
  if (texts.length > 1) return { fault: 'The comment was sent more than once.' };
  const comment = unix(texts[0] ?? '').trim();
  if (comment.length > MAX_COMMENT)
    return { fault: `The comment has ${grouped(comment.length)} characters, and ${grouped(MAX_COMMENT)} is the limit.` };
  return { value: comment === '' ? undefined : comment };
}

/** The decision of a button for all calls, where the page has one. */
function bulkIn(form: URLSearchParams, mine: readonly QuestionView[]): Read<Decision | undefined> {
  const words = form.getAll(BULK_FIELD);
  const decision = (['approve', 'deny'] as const).find((word) => word === words[0]);
  if (words.length === 0) return { value: undefined };
  if (!decision || words.length > 1)
    return { fault: `What is decided for all must be one of approve, deny: not “${oneLine(words.join(), 40)}”.` };
  return inBulk(mine).length > 0 ? { value: decision } : { fault: 'There are not several calls left to decide at once.' };
}

/** A decision that comes too late is refused with all that was sent beside it. */
function strayFault(form: URLSearchParams, question: QuestionView): string | undefined {
  if (question.mine || !(form.has(decisionField(question)) || form.has(optionField(question)))) return undefined;
  return `${subjectOf(question)} takes no answer from you now: it is settled, or asked of others.`;
}

function nothingDecided(mine: readonly QuestionView[]): string {
  const [only, ...more] = mine;
  if (!only) return 'Nothing here is asked of you now.';
  return more.length === 0 ? undecided(only) : 'No question has a decision: choose at least one.';
}
