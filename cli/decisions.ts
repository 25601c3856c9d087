import type { AnswerRequest } from '../shared/api.ts';
import { type Ask, type Decision, decision } from '../shared/record.ts';
import { oneLine } from './clean.ts';
import { amountOption, jsonOption } from './input.ts';
import { UsageError } from './output.ts';

/** What a person chose on the command line. */
export interface Choice {
  readonly yes?: boolean;
  readonly no?: boolean;
  readonly decision?: Decision;
  readonly comment?: string;
  readonly output?: string;
  /** A text that is the result: the answer to a question. */
  readonly answer?: string;
  /** By how much a budget is raised. */
  readonly raise?: string;
  /** Other arguments to consent to. */
  readonly input?: string;
  /** The model that a run goes on with, with `repin`. */
  readonly model?: string;
  readonly call?: readonly string[];
}

const YES: readonly Decision[] = ['approve', 'done'];
const NO: readonly Decision[] = ['deny', 'not-done'];

/** The request that says what was chosen. Pure. Throws a UsageError when the choice does not fit what is asked. */
export function requestOf(ask: Ask, given: Choice): AnswerRequest {
  const choice = { ...given, ...implied(given) };
  if (!choice.call) {
    const chosen = forAll(ask, choice);
    return { decision: chosen, ...besides(choice) };
  }
  return {
    answers: choice.call.map((text) => {
      const { index, decision: chosen } = forOne(ask, text, choice);
      return { index, decision: chosen, ...fitting(chosen, besides(choice)) };
    }),
  };
}

/** Some options say the decision by themselves. */
const implied = ({ answer, raise }: Choice): Pick<Choice, 'decision'> =>
  answer !== undefined ? { decision: 'result' } : raise !== undefined ? { decision: 'raise' } : {};

type Besides = Pick<AnswerRequest, 'comment' | 'output' | 'input' | 'amount' | 'model'>;

const besides = ({ comment, output, answer, input, raise, model }: Choice): Besides => ({
  ...(comment === undefined ? {} : { comment }),
  ...(answer !== undefined ? { output: answer } : output === undefined ? {} : { output: jsonOption('--output', output) }),
  ...(input === undefined ? {} : { input: jsonOption('--input', input) }),
  ...(raise === undefined ? {} : { amount: amountOption('--raise', raise) }),
  ...(model === undefined ? {} : { model }),
});

/** Of what was said for several calls, each gets what goes with its decision. */
function fitting(chosen: Decision, { comment, output, input }: Besides): Besides {
  return {
    ...(comment === undefined ? {} : { comment }),
    ...(output !== undefined && (chosen === 'done' || chosen === 'result') ? { output } : {}),
    ...(input !== undefined && chosen === 'approve' ? { input } : {}),
  };
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
