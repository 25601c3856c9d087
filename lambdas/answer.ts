import { type AnswerRequest, answerRequest, MAX_INPUT_BYTES } from '../shared/api.ts';
import { ProblemError } from '../shared/errors.ts';
import type { AnswerTo, Ask, Question } from '../shared/record.ts';
import { summaryOf } from '../shared/summary.ts';
import { type HttpEvent, httpHandler, readBody } from './lib/http.ts';
import { mustRead } from './lib/meta-store.ts';
import { findAsk, recordAnswer } from './lib/record-answer.ts';

/** `POST /asks/{id}/answer`: records the answer, then wakes the run. The first answer stands; its repeat is no second one. */
export const handler = httpHandler({ 'POST /asks/{id}/answer': answer });

async function answer(event: HttpEvent) {
  const id = event.pathParameters?.id ?? '';
  const found = await findAsk(id);
  if (!found) throw new ProblemError(404, 'No such ask', `There is no ask "${id.slice(0, 100)}"`, 'id');
  const request = readBody(event, answerRequest);
  const answers = answersOf(found.ask, request);
  if (Buffer.byteLength(JSON.stringify(answers)) > MAX_INPUT_BYTES) throw tooLarge(request.answers ? 'answers' : 'output');
  const record = await recordAnswer(found.runId, found.ask, request.by ?? 'the API', answers);
  return { status: 200, body: { run: summaryOf(await mustRead(found.runId)), record } };
}

const tooLarge = (field: string) =>
  new ProblemError(413, 'Answer too large', `An answer may have at most ${MAX_INPUT_BYTES} bytes of JSON`, field);

const wrong = (detail: string, field: string) => new ProblemError(400, 'Invalid body', detail, field);

const aboutOf = ({ index }: { index?: number | undefined }) => (index === undefined ? 'the question' : `the question about call ${index}`);

/** Gives every question its answer. Throws a problem that names the question which has none, or a wrong one. */
function answersOf(ask: Ask, request: AnswerRequest): AnswerTo[] {
  const { decision, answers = [] } = request;
  if ((decision === undefined) === (request.answers === undefined))
    throw wrong('Give either one decision for all questions, or answers with one entry for each', 'decision');
  const beside = (['output', 'comment'] as const).find((name) => request.answers && request[name] !== undefined);
  if (beside) throw wrong(`${beside}: beside answers it is nobody's; put it into an entry`, beside);
  const stray = answers.find(({ index }) => !ask.questions.some((question) => question.index === index));
  if (stray) throw wrong(`answers: this ask has no question about call ${stray.index}`, 'answers');
  const twice = answers.find(({ index }, i) => answers.findIndex((each) => each.index === index) !== i);
  if (twice) throw wrong(`answers: ${aboutOf(twice)} is answered twice`, 'answers');
  return ask.questions.map((question) => answerOf(question, request));
}

function answerOf(question: Question, { decision, output, comment, answers }: AnswerRequest): AnswerTo {
  const { index } = question;
  const about = aboutOf(question);
  const given = answers ? answers.find((each) => each.index === index) : { decision: decision as AnswerTo['decision'], output, comment };
  if (!given) throw wrong(`answers: ${about} has no answer`, 'answers');
  if (!question.choices.includes(given.decision))
    throw wrong(`decision: ${about} takes ${question.choices.join(', ')}, not "${given.decision}"`, 'decision');
  if (given.decision === 'result' && given.output === undefined) throw wrong(`output: "result" needs the output of ${about}`, 'output');
  if (given.output !== undefined && given.decision !== 'result' && given.decision !== 'done')
    throw wrong(`output: "${given.decision}" takes none; only done and result do`, 'output');
  return {
    ...(index === undefined ? {} : { index }),
    decision: given.decision,
    ...(given.output === undefined ? {} : { output: given.output }),
    ...(given.comment === undefined ? {} : { comment: given.comment }),
  };
}
