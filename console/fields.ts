import type { QuestionView } from '../shared/ask-view.ts';
import type { Decision } from '../shared/record.ts';

/** What the form of the page and the reader of its answers agree on. */

/** The longest comment, characters. */
export const MAX_COMMENT = 4_000;
export const COMMENT_FIELD = 'comment';
/** The longest name of a person, characters. */
export const MAX_NAME = 100;
export const NAME_FIELD = 'by';
export const BULK_FIELD = 'bulk';

const suffix = ({ index }: QuestionView): string => (index === undefined ? 'run' : String(index));
export const decisionField = (question: QuestionView): string => `decision.${suffix(question)}`;
export const outputField = (question: QuestionView): string => `output.${suffix(question)}`;
export const optionField = (question: QuestionView): string => `option.${suffix(question)}`;
export const amountField = (question: QuestionView): string => `amount.${suffix(question)}`;
export const modelField = (question: QuestionView): string => `model.${suffix(question)}`;
export const inputField = (question: QuestionView): string => `input.${suffix(question)}`;

/** What a person may choose; `expired` is the clock's word. */
export const offered = ({ choices }: QuestionView): Decision[] => choices.filter((choice) => choice !== 'expired');

/** Whether a person vouches for an output with this decision. */
export const takesOutput = (decision: Decision): boolean => decision === 'done' || decision === 'result';

/** Whether a person names a model with this decision: another is not offered. */
export const takesModel = ({ kind, namesModel = false }: QuestionView, decision: Decision): boolean =>
  kind === 'restart' && decision === 'repin' && namesModel;

/** The questions that one button decides: those for consent, when there are several. */
export function inBulk(mine: readonly QuestionView[]): QuestionView[] {
  const approvals = mine.filter(({ kind }) => kind === 'approval');
  return approvals.length > 1 ? approvals : [];
}

/** Reads a posted form. Without the `&` a leading `?` would be skipped. */
export const fieldsOf = (body: string): URLSearchParams => new URLSearchParams(`&${body}`);

/** Browsers send line breaks as CR LF. */
export const unix = (text: string): string => text.replaceAll('\r\n', '\n');
