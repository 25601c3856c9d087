import { ProblemError } from '../../shared/errors.ts';
import type { AnswerTo, Question } from '../../shared/record.ts';
import { openQuestions } from '../../shared/standing.ts';
import type { AskNow } from './ask-store.ts';
import { type Callback, readCallback } from './callback-store.ts';
import { recordAnswer } from './record-answer.ts';

/**
 * Answers an ask's open questions about calls whose results have come, or whose signs of life have stopped. A result is
 * kept before this looks for the ask, and an ask is recorded before this looks for results: whichever comes second delivers.
 */
export async function deliverCallbacks(runId: string, { ask, standing }: AskNow): Promise<void> {
  for (const question of openQuestions(standing)) {
    if (question.kind !== 'callback' || question.key === undefined) continue;
    const answer = answerFrom(await readCallback(question.key), question, ask.at);
    const who = answer?.decision === 'expired' ? CLOCK : OUTSIDE;
    if (answer) await recordAnswer(runId, ask.seq, who, async () => [answer]).catch(unlessClosed);
  }
}

/** Whoever was first stands, and a run that is being cancelled needs no result: what was posted is kept, and that is all it asked for. */
function unlessClosed(error: unknown): void {
  if (!(error instanceof ProblemError && error.status === 409)) throw error;
}

const OUTSIDE = { by: 'the outside system', via: 'callback' } as const;
const CLOCK = { by: 'the clock', via: 'clock' } as const;

function answerFrom(callback: Callback | undefined, { index, heartbeatSeconds }: Question, askedAt: number): AnswerTo | undefined {
  const about = index === undefined ? {} : { index };
  if (callback?.postedAt !== undefined)
    return { ...about, decision: 'result', output: callback.output ?? null, ...(callback.ok === false ? { ok: false } : {}) };
  const lastSign = Math.max(askedAt, callback?.heartbeatAt ?? 0);
  if (heartbeatSeconds === undefined || Date.now() < lastSign + heartbeatSeconds * 1000) return undefined;
  return { ...about, decision: 'expired', comment: `No sign of life for ${heartbeatSeconds} s` };
}
