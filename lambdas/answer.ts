import { type AnswerRequest, answerRequest, MAX_INPUT_BYTES } from '../shared/api.ts';
import { ProblemError } from '../shared/errors.ts';
import { canonical, type Json } from '../shared/json.ts';
import type { Answer, AnswerTo, Ask, Draft, Question, RunRecord } from '../shared/record.ts';
import { summaryOf } from '../shared/summary.ts';
import { parseAskId } from '../shared/tables.ts';
import { type HttpEvent, httpHandler, readBody } from './lib/http.ts';
import { appendAt, readRecord } from './lib/log-store.ts';
import { isEnded, mustRead, readMeta, setAnswered } from './lib/meta-store.ts';
import { wakeAsk } from './lib/waits.ts';

/** `POST /asks/{id}/answer`: records the answer, then wakes the run. The first answer stands; its repeat is no second one. */
export const handler = httpHandler({ 'POST /asks/{id}/answer': answer });

async function answer(event: HttpEvent) {
  const { runId, ask } = await openAsk(event.pathParameters?.id ?? '');
  const request = readBody(event, answerRequest);
  const draft: Draft<Answer> = { type: 'answer', ask: ask.seq, by: request.by ?? 'the API', answers: answersOf(ask, request) };
  if (Buffer.byteLength(JSON.stringify(draft.answers)) > MAX_INPUT_BYTES)
    throw new ProblemError(
      413,
      'Answer too large',
      `An answer may have at most ${MAX_INPUT_BYTES} bytes of JSON`,
      request.answers ? 'answers' : 'output',
    );
  const record = (await readRecord(runId, ask.seq + 1)) ?? (await answerOpen(runId, ask.seq, draft));
  await setAnswered(runId, ask.seq);
  await wakeAsk(runId, ask.seq);
  if (!isOurs(record, draft)) throw alreadyAnswered(record.type === 'answer' ? record : undefined);
  return { status: 200, body: { run: summaryOf(await mustRead(runId)), record } };
}

async function answerOpen(runId: string, seq: number, draft: Draft<Answer>): Promise<RunRecord> {
  const { cancel, status, ...before } = await mustRead(runId);
  if (!cancel && !isEnded({ status, ...before })) return appendAt(runId, seq + 1, draft);
  throw new ProblemError(409, 'Run has ended', `Run "${runId}" is ${cancel ? 'cancelled' : status}; its ask needs no answer`);
}

async function openAsk(id: string): Promise<{ runId: string; ask: Ask }> {
  const at = parseAskId(id);
  const ask = at && (await readMeta(at.runId)) ? await readRecord(at.runId, at.seq) : undefined;
  if (!at || ask?.type !== 'ask') throw new ProblemError(404, 'No such ask', `There is no ask "${id.slice(0, 100)}"`, 'id');
  return { runId: at.runId, ask };
}

/** The same answer again, by the same person, is a repeat of the request and not a second answer. */
const isOurs = (record: RunRecord, { by, answers }: Draft<Answer>): boolean =>
  record.type === 'answer' && record.by === by && canonical(record.answers as Json) === canonical(answers as Json);

const alreadyAnswered = (record: Answer | undefined) =>
  new ProblemError(
    409,
    'Already answered',
    record ? `This ask was answered by ${record.by}: ${record.answers.map(({ decision }) => decision).join(', ')}` : 'This ask is closed',
  );

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
