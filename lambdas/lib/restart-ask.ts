import { changesText } from '../../shared/drift.ts';
import type { Ask, Decision, Draft, Offer, Question } from '../../shared/record.ts';
import type { Drift } from './drift.ts';

/** What a `restart` ask says, before and after what is different. */
interface Words {
  /** A stable word for why the run stopped. */
  readonly reason: string;
  readonly why: string;
}

/** Asks whether a run may go on under other code than it is pinned to; `drift` is undefined where that code lacks its agent. */
export function askAboutCode({ reason, why }: Words, drift: Drift | undefined): Draft<Ask> {
  const changes = drift?.changes ?? [];
  const what =
    drift === undefined
      ? 'The code in service has no such agent.'
      : changes.length > 0
        ? `In the code in service:\n${changesText(changes)}`
        : 'The code in service says the same of its instructions, settings and tools.';
  const offers: Offer | undefined = drift && { of: 'code', hash: drift.hash };
  return askOf(reason, `${why}\n${what}`, [...(drift ? (['repin', 'restart'] as const) : []), 'retry', 'abort'], offers);
}

/** Asks what becomes of a run whose model is no more. */
export function askAboutModel(why: string): Draft<Ask> {
  const text = `${sentence(why)} Go on with another model that you name, restart as a new run of today's agent, try this model again, or abort?`;
  return askOf('model-not-found', text, ['repin', 'restart', 'retry', 'abort'], { of: 'model' });
}

/** Asks again when somebody wanted a restart, and it was not begun. */
export const RESTART_LOST: Draft<Ask> = askOf(
  'restart-lost',
  'This run was to be restarted, and whoever said so was cut off before the new run was there. Restart it, go on as it is, or abort?',
  ['restart', 'retry', 'abort'],
  undefined,
);

function askOf(reason: string, text: string, choices: Decision[], offers: Offer | undefined): Draft<Ask> {
  const question: Question = { kind: 'restart', text, choices, ...(offers ? { offers } : {}) };
  return { type: 'ask', kind: 'restart', reason, questions: [question] };
}

const sentence = (text: string): string => `${text.replace(/[.\s]*$/, '')}.`;
