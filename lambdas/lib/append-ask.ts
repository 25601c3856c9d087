import { askedNow } from '../../shared/agent.ts';
import type { Log } from '../../shared/log.ts';
import type { Meta } from '../../shared/meta.ts';
import type { Ask, Draft } from '../../shared/record.ts';
import { asksOf } from './agents.ts';
import { append } from './log-store.ts';

/** Appends an ask, whose questions are asked now: on their own terms, else on those of the run's agent. */
export function appendAsk({ runId, agent }: Meta, log: Log, draft: Draft<Ask>): Promise<Log> {
  const questions = draft.questions.map((question) => askedNow(question, asksOf(agent), Date.now()));
  return append(runId, log, { ...draft, questions });
}
