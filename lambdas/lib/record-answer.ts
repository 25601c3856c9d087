import { ProblemError } from '../../shared/errors.ts';
import { canonical, type Json } from '../../shared/json.ts';
import { isAmong, isSamePerson } from '../../shared/recipient.ts';
import type { Answer, AnswerTo, Ask, Draft, Question } from '../../shared/record.ts';
import { isAnswered, isAskedOf, isLate, type Standing, standings } from '../../shared/standing.ts';
import { type AskNow, readAsk } from './ask-store.ts';
import { appendAt } from './log-store.ts';
import { isEnded, mustRead, setAnswered } from './meta-store.ts';
import { wakeRun } from './wake-run.ts';

/** Who answers, and by what way. `recipient` is whom a link was made for; absent for those whom the service itself let in. */
export interface Answerer {
  readonly by: string;
  readonly via: Answer['via'];
  readonly recipient?: string;
}

/**
 * Records an answer to some or all questions of an ask, as it is judged against all that was said before it, and wakes the
 * run when it needs no more. What was said first
 * stands; the same said again is no second answer. Returns the record. Throws 409 and 403 problems, and records nothing,
 * when one of the questions takes no answer from this person any more.
 */
export async function recordAnswer(runId: string, seq: number, who: Answerer, judged: () => Promise<AnswerTo[]>): Promise<Answer> {
  for (;;) {
    const now = (await readAsk(runId, seq)) as AskNow;
    // Anew after each answer that came between: it may have put other arguments in place of some that these are compared with.
    const answers = await judged();
    const draft: Draft<Answer> = { type: 'answer', ask: seq, by: who.by, via: who.via, answers };
    const known = now.answers.find((record) => isSame(record, draft));
    if (!known) await assertOpen(runId, now, who, answers);
    const record = known ?? (await appendAt(runId, seq + now.answers.length + 1, draft));
    if (record.type !== 'answer' || !isSame(record, draft)) continue;
    if (isAnswered(standings(now.ask, known ? now.answers : [...now.answers, record]))) await goOn(runId, now.ask);
    return record;
  }
}

/** An answer that was recorded and not delivered is delivered by whoever comes next. */
async function goOn(runId: string, ask: Ask): Promise<void> {
  // Woken first: until META says that the ask is answered, a sweep wakes the run if this does not.
  await wakeRun(runId, ask);
  await setAnswered(runId, ask.seq);
}

/** The same answer again, by the same person, is a repeat of the request and not a second answer. */
const isSame = ({ by, answers }: Answer, draft: Draft<Answer>): boolean =>
  by === draft.by && canonical(answers as Json) === canonical(draft.answers as Json);

async function assertOpen(runId: string, { standing, open }: AskNow, who: Answerer, answers: AnswerTo[]): Promise<void> {
  for (const { index } of answers) {
    const about = standing.find(({ question }) => question.index === index);
    if (about) assertTakes(about, who);
  }
  if (!open) throw new ProblemError(409, 'Already answered', 'This ask is closed');
  const meta = await mustRead(runId);
  if (meta.cancel || isEnded(meta))
    throw new ProblemError(409, 'Run has ended', `Run "${runId}" is ${meta.cancel ? 'cancelled' : meta.status}; its ask needs no answer`);
}

/** Throws the problem that says why a question takes no answer from this person now. */
function assertTakes({ question, said, settled }: Standing, { by, via, recipient }: Answerer): void {
  const decided = settled ?? said.find((each) => isSamePerson(each.by, by));
  if (decided)
    throw new ProblemError(409, 'Already answered', `${aboutOf(question)} was answered by ${decided.by}: ${decided.answer.decision}`);
  if (via === 'clock' || via === 'callback') return;
  if (isLate(question, Date.now()))
    throw new ProblemError(409, 'Too late', `${aboutOf(question)} took answers until ${new Date(question.expiresAt ?? 0).toISOString()}`);
  if (!isAskedOf(question, recipient)) throw new ProblemError(403, 'Not asked', `${aboutOf(question)} is not asked of ${by}`);
  const { needs = 1, approvers } = question;
  if (needs > 1 && approvers && !isAmong(approvers, by))
    throw new ProblemError(
      403,
      'Not asked',
      `${aboutOf(question)} needs ${needs} of ${approvers.join(', ')}; say in "by" which of them you are`,
      'by',
    );
}

const aboutOf = ({ index }: Question): string => (index === undefined ? 'The question' : `The question about call ${index}`);
