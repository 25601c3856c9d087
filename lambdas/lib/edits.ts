import { isEditable } from '../../shared/ask-view.ts';
import { ProblemError } from '../../shared/errors.ts';
import { canonical, type Json } from '../../shared/json.ts';
import type { AnswerTo, Ask, Edit } from '../../shared/record.ts';
import { agentOf } from './agents.ts';
import { checkInput } from './judge.ts';
import { mustRead } from './meta-store.ts';

/** An answer as it is sent: consent may come with other arguments (`input`) than those asked about. */
export type GivenAnswer = Omit<AnswerTo, 'edit'> & { readonly input?: Json };

/** Turns what was sent into answers. Throws a 400 problem for arguments that the tool would not take. */
export async function withEdits(runId: string, ask: Ask, given: readonly GivenAnswer[]): Promise<AnswerTo[]> {
  if (given.every(({ input }) => input === undefined)) return given.map(({ input: _, ...answer }) => answer);
  const { agent } = await mustRead(runId);
  return given.map(({ input, ...answer }) => ({ ...answer, ...(input === undefined ? {} : edited(agent, ask, answer, input)) }));
}

function edited(agent: string, ask: Ask, { index, decision }: Omit<AnswerTo, 'edit'>, input: Json): { edit?: Edit } {
  const question = ask.questions.find((each) => each.index === index);
  if (!question || decision !== 'approve' || !isEditable(question))
    throw wrong('only consent that one person gives alone may come with other arguments');
  const tool = agentOf(agent).tools.find(({ name }) => name === question.tool);
  const checked = tool ? checkInput(tool, input) : { invalid: `this deployment has no tool "${question.tool}"` };
  if ('invalid' in checked) throw wrong(checked.invalid.replace(/^Not run: /, ''));
  return canonical(checked.input) === canonical(question.input ?? null) ? {} : { edit: checked };
}

const wrong = (why: string) => new ProblemError(400, 'Invalid arguments', `input: ${why}`, 'input');
