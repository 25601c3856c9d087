import type { Ask } from '../../shared/record.ts';
import { hiddenOf } from './hidden-call.ts';
import { hideIn, hideOutput } from './hide.ts';
import type { GivenPin } from './repin.ts';

/** Masks in answers what is secret of the calls that they are about: people give results, and say what they saw. */
export const hideInAnswers = (runId: string, { reply }: Ask, answers: readonly GivenPin[]): Promise<GivenPin[]> =>
  Promise.all(answers.map((answer) => hideInAnswer(runId, reply, answer)));

async function hideInAnswer(runId: string, seq: number | undefined, answer: GivenPin): Promise<GivenPin> {
  const { index, output, comment } = answer;
  if (seq === undefined || index === undefined || (output === undefined && comment === undefined)) return answer;
  const hidden = await hiddenOf(runId, seq, index);
  if (!hidden) return answer;
  return {
    ...answer,
    ...(output === undefined ? {} : { output: hideOutput(output, hidden) }),
    ...(comment === undefined ? {} : { comment: hideIn(comment, hidden) }),
  };
}
