import type { AnswerRequest } from '../shared/api.ts';
import { type AnswerTo, type Ask, type Decision, decision } from '../shared/record.ts';
import { oneLine } from './clean.ts';
import { jsonOption } from './input.ts';
import { UsageError } from './output.ts';

/** What a person chose on the command line. */
export interface Choice {
  readonly yes?: boolean;
  readonly no?: boolean;
  readonly decision?: Decision;
  readonly comment?: string;
  readonly output?: string;
  readonly call?: readonly string[];
}

const YES: readonly Decision[] = ['approve', 'done'];
const NO: readonly Decision[] = ['deny', 'not-done'];

/** The request that says what was chosen. Pure. Throws a UsageError when the choice does not fit what is asked. */
export function requestOf(ask: Ask, choice: Choice): AnswerRequest {
  const comment = choice.comment === undefined ? {} : { comment: choice.comment };
  const output = choice.output === undefined ? undefined : jsonOption('--output', choice.output);
  const vouched = (chosen: Decision) => (output !== undefined && (chosen === 'done' || chosen === 'result') ? { output } : {});
  if (!choice.call) {
    const chosen = forAll(ask, choice);
    return { decision: chosen, ...comment, ...(output === undefined ? {} : { output }) };
  }
  const answers = choice.call.map((text): AnswerTo => {
    const { index, decision: chosen } = forOne(ask, text, choice);
    return { index, decision: chosen, ...comment, ...vouched(chosen) };
  });
  return { answers };
}

function forAll(ask: Ask, choice: Choice): Decision {
  const choices = ask.questions[0]?.choices.filter((one) => ask.questions.every((question) => question.choices.includes(one))) ?? [];
  return chosenFrom(choices, choice);
}

function forOne(ask: Ask, text: string, choice: Choice): { index: number; decision: Decision } {
  const [number = '', word] = text.split('=');
  const index = Number(number);
  const question = ask.questions.find((one) => one.index === index);
  if (!/^\d+$/.test(number) || !question) throw new UsageError(`Cannot answer call "${oneLine(text, 40)}": the ask has ${indexesOf(ask)}`);
  return { index, decision: chosenFrom(question.choices, word === undefined ? choice : { decision: wordOf(word) }) };
}

const indexesOf = (ask: Ask): string => {
  const indexes = ask.questions.flatMap(({ index }) => (index === undefined ? [] : [index]));
  return indexes.length > 0 ? `a question about call ${indexes.join(', ')}` : 'no question about a call; leave --call out';
};

function wordOf(word: string): Decision {
  const found = decision.safeParse(word);
  if (found.success) return found.data;
  throw new UsageError(`Cannot answer "${oneLine(word, 40)}": the answers are ${decision.options.join(', ')}`);
}

/** Nothing that a person did not say is ever taken for a yes. */
function chosenFrom(choices: readonly Decision[], { yes, no, decision: said }: Choice): Decision {
  const wanted = said ? [said] : yes ? YES : no ? NO : [];
  const found = wanted.find((one) => choices.includes(one));
  if (found) return found;
  const problem = wanted.length === 0 ? 'nothing is said' : `${said ?? (yes ? '--yes' : '--no')} does not fit what is asked`;
  const remedy =
    choices.length > 0
      ? `say --decision with one of ${choices.join(', ')}`
      : 'its questions take different answers; say --call n=decision for each';
  throw new UsageError(`Cannot answer: ${problem}; ${remedy}`);
}
