import { type AnswerRequest, answerRequest, MAX_INPUT_BYTES } from '../shared/api.ts';
import { ProblemError } from '../shared/errors.ts';
import { raiseFault } from '../shared/raise.ts';
import type { AnswerTo, Ask, Question } from '../shared/record.ts';
import { showRecord } from '../shared/shown-record.ts';
import { openQuestions } from '../shared/standing.ts';
import { summaryOf } from '../shared/summary.ts';
import { type GivenAnswer, withEdits } from './lib/edits.ts';
import { type HttpEvent, httpHandler, readBody } from './lib/http.ts';
import { knownAsk } from './lib/known-ask.ts';
import { mustRead } from './lib/meta-store.ts';
import { recordAnswer } from './lib/record-answer.ts';
import { withPins } from './lib/repin.ts';

/** `POST /asks/{id}/answer`: records the answer, then wakes the run. The first answer stands; its repeat is no second one. */
export const handler = httpHandler({ 'POST /asks/{id}/answer': answer });

async function answer(event: HttpEvent) {
  const { meta, ask, now } = await knownAsk(event);
  const request = readBody(event, answerRequest);
  const open = openQuestions(now.standing);
  const given = givenIn(ask, open.length > 0 ? open : ask.questions, request);
  const counted =
    request.by === undefined && ask.questions.find(({ index, needs = 1 }) => needs > 1 && given.some((each) => each.index === index));
  if (counted) throw wrong(`by: ${aboutOf(counted)} needs a yes from several people: say who you are`, 'by');
  if (Buffer.byteLength(JSON.stringify(given)) > MAX_INPUT_BYTES) throw tooLarge(largest(request));
  const judged = async () => withPins(meta, ask, await withEdits(meta, ask, given), request.by);
  const record = await recordAnswer(meta.runId, ask.seq, { by: request.by ?? 'the API', via: 'API' }, judged);
  return { status: 200, body: { run: summaryOf(await mustRead(meta.runId)), record: showRecord(record) } };
}

/** What of an answer is to blame for its size: all else in it is small. */
const largest = ({ answers, input }: AnswerRequest): string => (answers ? 'answers' : input === undefined ? 'output' : 'input');

const tooLarge = (field: string) =>
  new ProblemError(413, 'Answer too large', `An answer may have at most ${MAX_INPUT_BYTES} bytes of JSON`, field);

const wrong = (detail: string, field: string) => new ProblemError(400, 'Invalid body', detail, field);

const aboutOf = ({ index }: { index?: number | undefined }) => (index === undefined ? 'the question' : `the question about call ${index}`);

/**
 * Reads what is said to which question: one decision for all that are open, or an entry for each that is answered now.
 * Throws a problem that names the question with a wrong one.
 */
function givenIn(ask: Ask, open: readonly Question[], request: AnswerRequest): GivenAnswer[] {
  const { decision, answers } = request;
  if ((decision === undefined) === (answers === undefined))
    throw wrong('Give either one decision for all questions, or answers with an entry for each that you answer', 'decision');
  const beside = (['output', 'comment', 'input', 'amount', 'model'] as const).find((name) => answers && request[name] !== undefined);
  if (beside) throw wrong(`${beside}: beside answers it is nobody's; put it into an entry`, beside);
  if (request.input !== undefined && open.length > 1) throw wrong('input: it is for one call; put it into an entry of answers', 'input');
  const stray = answers?.find(({ index }) => !ask.questions.some((question) => question.index === index));
  if (stray) throw wrong(`answers: this ask has no question about call ${stray.index}`, 'answers');
  const twice = answers?.find(({ index }, i) => answers.findIndex((each) => each.index === index) !== i);
  if (twice) throw wrong(`answers: ${aboutOf(twice)} is answered twice`, 'answers');
  const { output, comment, input, amount, model } = request;
  const entries =
    answers ?? open.map(({ index }) => ({ index, decision: decision as AnswerTo['decision'], output, comment, input, amount, model }));
  return entries.map((entry) => checked(ask.questions.find(({ index }) => index === entry.index) as Question, entry));
}

type Entry = NonNullable<AnswerRequest['answers']>[number];

function checked(question: Question, entry: Entry): GivenAnswer {
  const { decision, output, comment, input, model } = entry;
  const { index, options } = question;
  const about = aboutOf(question);
  if (!question.choices.includes(decision))
    throw wrong(`decision: ${about} takes ${question.choices.join(', ')}, not "${decision}"`, 'decision');
  if (decision === 'result' && output === undefined) throw wrong(`output: "result" needs the output of ${about}`, 'output');
  if (output !== undefined && decision !== 'result' && decision !== 'done')
    throw wrong(`output: "${decision}" takes none; only done and result do`, 'output');
  if (decision === 'result' && options && !options.includes(output as string))
    throw wrong(`output: ${about} takes one of ${options.map((option) => `"${option}"`).join(', ')}`, 'output');
  return {
    ...(index === undefined ? {} : { index }),
    decision,
    ...(output === undefined ? {} : { output }),
    ...(comment === undefined ? {} : { comment }),
    ...(input === undefined ? {} : { input }),
    ...amountIn(question, entry),
    ...(model === undefined ? {} : { model }),
  };
}

/** What is recorded says by how much, also when nobody did. */
function amountIn({ budget }: Question, { decision, amount = budget?.by ?? 0 }: Entry): Pick<GivenAnswer, 'amount'> {
  if (decision !== 'raise' || !budget) {
    if (amount !== (budget?.by ?? 0)) throw wrong(`amount: "${decision}" takes none; only raise does`, 'amount');
    return {};
  }
  const fault = raiseFault(budget, amount);
  if (fault) throw wrong(`amount: ${fault}`, 'amount');
  return { amount };
}
