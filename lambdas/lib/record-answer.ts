import { isOverdue } from '../../shared/decide.ts';
import { ProblemError } from '../../shared/errors.ts';
import { canonical, type Json } from '../../shared/json.ts';
import type { Answer, AnswerTo, Ask, Draft, RunRecord } from '../../shared/record.ts';
import { parseAskId } from '../../shared/tables.ts';
import { appendAt, readRecord } from './log-store.ts';
import { isEnded, mustRead, readMeta, setAnswered } from './meta-store.ts';
import { wakeAsk } from './waits.ts';

/** Finds the ask of a public id. */
export async function findAsk(id: string): Promise<{ runId: string; ask: Ask } | undefined> {
  const at = parseAskId(id);
  const ask = at && (await readMeta(at.runId)) ? await readRecord(at.runId, at.seq) : undefined;
  return at && ask?.type === 'ask' ? { runId: at.runId, ask } : undefined;
}

/**
 * Records an answer, then wakes the run. The first answer stands: returns the record that does. Throws a 409 problem when
 * the ask was closed by other means, or another answer came first.
 */
export async function recordAnswer(runId: string, ask: Ask, by: string, answers: AnswerTo[]): Promise<RunRecord> {
  const draft: Draft<Answer> = { type: 'answer', ask: ask.seq, by, answers };
  const record = (await readRecord(runId, ask.seq + 1)) ?? (await answerOpen(runId, ask, draft));
  await setAnswered(runId, ask.seq);
  await wakeAsk(runId, ask.seq);
  if (!isOurs(record, draft)) throw alreadyAnswered(record.type === 'answer' ? record : undefined);
  return record;
}

async function answerOpen(runId: string, ask: Ask, draft: Draft<Answer>): Promise<RunRecord> {
  const { cancel, status, ...before } = await mustRead(runId);
  if (cancel || isEnded({ status, ...before }))
    throw new ProblemError(409, 'Run has ended', `Run "${runId}" is ${cancel ? 'cancelled' : status}; its ask needs no answer`);
  if (isOverdue(ask, Date.now()))
    throw new ProblemError(409, 'Too late', `This ask took answers until ${new Date(ask.expiresAt ?? 0).toISOString()}`);
  return appendAt(runId, ask.seq + 1, draft);
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
