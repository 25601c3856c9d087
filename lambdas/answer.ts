import { type AnswerRequest, answerRequest } from '../shared/api.ts';
import { ProblemError } from '../shared/errors.ts';
import type { Answer, AnswerTo, Ask, Draft, Question } from '../shared/record.ts';
import { summaryOf } from '../shared/summary.ts';
import { parseAskId } from '../shared/tables.ts';
import { type HttpEvent, httpHandler, readBody } from './lib/http.ts';
import { appendAt, readRecord } from './lib/log-store.ts';
import { isEnded, mustRead, readMeta, setAnswered } from './lib/meta-store.ts';
import { wakeAsk } from './lib/waits.ts';

/** `POST /asks/{id}/answer`: records the answer, then wakes the run. The first answer stands. */
export const handler = httpHandler({ 'POST /asks/{id}/answer': answer });

async function answer(event: HttpEvent) {
  const { runId, ask } = await openAsk(event.pathParameters?.id ?? '');
  const request = readBody(event, answerRequest);
  const draft: Draft<Answer> = { type: 'answer', ask: ask.seq, by: request.by ?? 'the API', answers: answersOf(ask, request) };
  const before = await mustRead(runId);
  if (isEnded(before) || before.cancel)
    throw new ProblemError(
      409,
      'Run has ended',
      `Run "${runId}" is ${before.cancel ? 'cancelled' : before.status}; its ask needs no answer`,
    );
  const record = await appendAt(runId, ask.seq + 1, draft);
  await setAnswered(runId, ask.seq);
  await wakeAsk(runId, ask.seq);
  if (!isOurs(record, draft)) throw alreadyAnswered(record.type === 'answer' ? record : undefined);
  return { status: 200, body: { run: summaryOf(await mustRead(runId)), record } };
}

async function openAsk(id: string): Promise<{ runId: string; ask: Ask }> {
  const at = parseAskId(id);
  const ask = at && (await readMeta(at.runId)) ? await readRecord(at.runId, at.seq) : undefined;
  if (!at || ask?.type !== 'ask') throw new ProblemError(404, 'No such ask', `There is no ask "${id.slice(0, 100)}"`, 'id');
  return { runId: at.runId, ask };
}

/** The same answer again, by the same person, is a repeat of the request and not a second answer. */
const isOurs = (record: { type: string }, draft: Draft<Answer>): boolean =>
  record.type === 'answer' &&
  JSON.stringify({ ...(record as Answer), v: 0, seq: 0, at: 0 }) === JSON.stringify({ v: 0, seq: 0, at: 0, ...draft });

const alreadyAnswered = (record: Answer | undefined) =>
  new ProblemError(
    409,
    'Already answered',
    record ? `This ask was answered by ${record.by}: ${record.answers.map(({ decision }) => decision).join(', ')}` : 'This ask is closed',
  );

/** Gives every question its answer. Throws a problem that names the question which has none, or a wrong one. */
function answersOf(ask: Ask, request: AnswerRequest): AnswerTo[] {
  if ((request.decision === undefined) === (request.answers === undefined)) {
    throw new ProblemError(
      400,
      'Invalid body',
      'Give either one decision for all questions, or answers with one entry for each',
      'decision',
    );
  }
  const stray = request.answers?.find(({ index }) => !ask.questions.some((question) => question.index === index));
  if (stray) throw new ProblemError(400, 'Invalid body', `answers: this ask has no question about call ${stray.index}`, 'answers');
  return ask.questions.map((question) => answerOf(question, request));
}

function answerOf(question: Question, { decision, output, comment, answers }: AnswerRequest): AnswerTo {
  const { index } = question;
  const about = index === undefined ? 'the question' : `the question about call ${index}`;
  const given = answers ? answers.find((each) => each.index === index) : { decision: decision as AnswerTo['decision'], output, comment };
  if (!given) throw new ProblemError(400, 'Invalid body', `answers: ${about} has no answer`, 'answers');
  if (!question.choices.includes(given.decision)) {
    throw new ProblemError(
      400,
      'Invalid body',
      `decision: ${about} takes ${question.choices.join(', ')}, not "${given.decision}"`,
      'decision',
    );
  }
  if (given.decision === 'result' && given.output === undefined)
    throw new ProblemError(400, 'Invalid body', `output: "result" needs the output of ${about}`, 'output');
  return {
    ...(index === undefined ? {} : { index }),
    decision: given.decision,
    ...(given.output === undefined ? {} : { output: given.output }),
    ...(given.comment === undefined ? {} : { comment: given.comment }),
  };
}
