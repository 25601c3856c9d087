import type { Log } from '../../shared/log.ts';
import type { ModelOutcome } from '../../shared/model.ts';
import type { Ask, Draft } from '../../shared/record.ts';
import { appendAsk } from './append-ask.ts';
import { setWait } from './meta-store.ts';
import { askAboutModel } from './restart-ask.ts';
import type { Step } from './step.ts';

/** The longest wait that a provider's own word is followed to, s. */
export const MAX_PROVIDER_WAIT_SECONDS = 6 * 3600;
/** The longest wait of our own, s. */
const MAX_BACKOFF_SECONDS = 300;

/** Makes of what is no reply a wait, or an ask when only a person can mend it or the tries are used up. */
export async function notReplied({ log, meta }: Step, outcome: Exclude<ModelOutcome, { kind: 'reply' }>): Promise<Log> {
  if (outcome.kind === 'rejected' && outcome.code === 'model-not-found') return appendAsk(meta, log, askAboutModel(outcome.reason));
  if (outcome.kind === 'rejected') return appendAsk(meta, log, escalate(outcome.code, outcome.reason));
  if (meta.attempts >= meta.policy.maxModelAttempts)
    return appendAsk(meta, log, escalate('overloaded', `${meta.attempts} tries failed; the last: ${outcome.reason}`));
  const seconds = Math.min(outcome.waitSeconds ?? backoffSeconds(meta.attempts), MAX_PROVIDER_WAIT_SECONDS);
  await setWait(meta, Date.now() + Math.max(1, seconds) * 1000, `overloaded: ${outcome.reason}`.slice(0, 500));
  return log;
}

/** Full jitter over 2, 4, 8 ... 300 s. */
const backoffSeconds = (attempt: number): number => Math.random() * Math.min(MAX_BACKOFF_SECONDS, 2 ** attempt);

/** The ask about a model step that only a person can mend. */
export const escalate = (reason: string, text: string): Draft<Ask> => ({
  type: 'ask',
  kind: 'escalation',
  reason,
  questions: [{ kind: 'escalation', text: `${text.replace(/[.\s]*$/, '')}. Retry, or abort the run?`, choices: ['retry', 'abort'] }],
});
