import type { QuestionView } from '../shared/ask-view.ts';
import type { Decision } from '../shared/record.ts';

/** What the form of the page and the reader of its answers agree on. */

/** The longest comment, characters. */
export const MAX_COMMENT = 4_000;
export const COMMENT_FIELD = 'comment';

const suffix = ({ index }: QuestionView): string => (index === undefined ? 'run' : String(index));
export const decisionField = (question: QuestionView): string => `decision.${suffix(question)}`;
export const outputField = (question: QuestionView): string => `output.${suffix(question)}`;

/** What a person may choose; `expired` is the clock's word. */
export const offered = ({ choices }: QuestionView): Decision[] => choices.filter((choice) => choice !== 'expired');

/** Whether a person vouches for an output with this decision. */
export const takesOutput = (decision: Decision): boolean => decision === 'done' || decision === 'result';
