import type { QuestionView } from '../shared/ask-view.ts';
import { isAmong, isSamePerson } from '../shared/recipient.ts';
import { MAX_NAME, NAME_FIELD } from './fields.ts';
import { oneLine, visible } from './plain-text.ts';
import type { Read } from './read-answer.ts';
import { needsSeveral, oneOf, subjectOf } from './words.ts';

/** Reads who answers. Where several people are needed, `decided` must each know whose word it is. */
export function nameIn(form: URLSearchParams, decided: readonly QuestionView[]): Read<string | undefined> {
  const texts = form.getAll(NAME_FIELD);
  if (texts.length > 1) return { fault: 'Your name was sent more than once.' };
  const name = (texts[0] ?? '').trim();
  const fault = faultOf(name) ?? decided.filter(needsSeveral).flatMap((question) => strangerFault(name, question) ?? [])[0];
  if (fault !== undefined) return { fault };
  return { value: name === '' ? undefined : name };
}

function faultOf(name: string): string | undefined {
  if (name.length > MAX_NAME) return `Your name has ${name.length} characters, and ${MAX_NAME} is the limit.`;
  return visible(name) !== name || /[\n\t]/.test(name) ? 'Your name holds characters that cannot be seen.' : undefined;
}

function strangerFault(name: string, question: QuestionView): string | undefined {
  const { approvers, said } = question;
  const subject = subjectOf(question);
  if (name === '') return `${subject} needs a yes from several people: say who you are.`;
  if (approvers && !isAmong(approvers, name))
    return `“${oneLine(name, 100)}” may not answer about ${subject}: it is asked of ${oneOf(approvers)}.`;
  return said.some(({ by }) => isSamePerson(by, name)) ? `“${oneLine(name, 100)}” has answered about ${subject} already.` : undefined;
}
