import { eachOnce, isAmong } from './recipient.ts';
import type { Answer, AnswerTo, Ask, AskKind, Question, RunRecord } from './record.ts';

type Log = readonly RunRecord[];

/** An answer to one question, with the question. */
export interface Answered {
  readonly seq: number;
  readonly by: string;
  readonly question: Question;
  readonly answer: AnswerTo;
}

/** Where one question of an ask stands: what was said to it so far, and what settles it. */
export interface Standing {
  readonly question: Question;
  readonly said: readonly Answered[];
  readonly settled: Answered | undefined;
}

/** Says where each question of an ask stands. The first no settles a question, a yes once enough people have said it. */
export function standings(ask: Ask, answers: readonly Answer[]): Standing[] {
  return ask.questions.map((question) => {
    const said = answers.flatMap(({ seq, by, answers: given }) =>
      given.filter(({ index }) => index === question.index).map((answer) => ({ seq, by, question, answer })),
    );
    return { question, said, settled: settledBy(question, said) };
  });
}

function settledBy({ needs = 1 }: Question, said: readonly Answered[]): Answered | undefined {
  const people = (count: number) => eachOnce(said.slice(0, count).map(({ by }) => by)).length;
  return said.find(({ answer }, i) => answer.decision !== 'approve' || people(i + 1) >= needs);
}

/** Returns the answers to an ask that are in the log, oldest first. */
export function answersOf(log: Log, { seq }: Pick<Ask, 'seq'>): Answer[] {
  const answers: Answer[] = [];
  for (let record = log[seq]; record?.type === 'answer' && record.ask === seq; record = log[record.seq]) answers.push(record);
  return answers;
}

/** Returns the ask at the end of a log that is not answered yet. */
export function openAsk(log: Log): Ask | undefined {
  const last = log.at(-1);
  const ask = last?.type === 'answer' ? log[last.ask - 1] : last;
  return ask?.type === 'ask' && !isAnswered(standings(ask, answersOf(log, ask))) ? ask : undefined;
}

/** Whether nobody needs to be waited for any more: all is settled, or somebody aborts the run. */
export const isAnswered = (standing: readonly Standing[]): boolean =>
  standing.every(({ settled }) => settled) || standing.some(({ settled }) => settled?.answer.decision === 'abort');

/** Returns the questions that nothing settles yet. */
export const openQuestions = (standing: readonly Standing[]): Question[] =>
  standing.flatMap(({ question, settled }) => (settled ? [] : [question]));

/** Tells whether it is too late to answer a question. */
export const isLate = ({ expiresAt }: Pick<Question, 'expiresAt'>, now: number): boolean => expiresAt !== undefined && now >= expiresAt;

/** Tells whether it is too late for a question that is still open. */
export const isOverdue = (standing: readonly Standing[], now: number): boolean =>
  standing.some(({ question, settled }) => !settled && isLate(question, now));

/** When the first open question of an ask expires, ms since the epoch; undefined when none does. */
export function deadlineOf(questions: readonly Question[]): number | undefined {
  const times = questions.flatMap(({ expiresAt }) => expiresAt ?? []);
  return times.length > 0 ? Math.min(...times) : undefined;
}

/** Whether an expired question goes on to somebody else. */
export const isPassedOn = ({ escalateTo = [] }: Pick<Question, 'escalateTo'>): boolean => escalateTo.length > 0;

/** The kinds that the clock can answer: nothing unsafe follows when nobody says yes. */
const CLOSABLE: readonly AskKind[] = ['approval', 'question', 'callback'];

/** When the last question of an ask expires, ms since the epoch; undefined when one never does. */
export function lastDeadlineOf(questions: readonly Question[]): number | undefined {
  const times = questions.map(({ expiresAt }) => expiresAt ?? Number.POSITIVE_INFINITY);
  return times.every(Number.isFinite) ? Math.max(...times) : undefined;
}

/** Until when a question is open that is asked now, ms since the epoch. Where no answer is safe, the last in line is waited for. */
export function lifeOf(question: Question, now: number): Pick<Question, 'expiresAt'> {
  const { kind, expiresInSeconds } = question;
  const ends = CLOSABLE.includes(kind) || isPassedOn(question);
  return ends && expiresInSeconds !== undefined ? { expiresAt: now + expiresInSeconds * 1000 } : {};
}

/** The same question, to the next in line beside those who were asked. */
export function passedOn({ expiresAt: _, ...question }: Question, now: number): Question {
  const [next, ...rest] = question.escalateTo ?? [];
  const asked = {
    ...question,
    approvers: eachOnce([...(question.approvers ?? []), ...(next === undefined ? [] : [next])]),
    escalateTo: rest,
  };
  return { ...asked, ...lifeOf(asked, now) };
}

/** Whether a question is asked of somebody: the recipient of a link, or whoever the service itself let in (`undefined`). */
export const isAskedOf = ({ approvers }: Pick<Question, 'approvers'>, recipient: string | undefined): boolean =>
  recipient === undefined || approvers === undefined || isAmong(approvers, recipient);
