import type { Meta } from './meta.ts';
import type { Ask, AskKind, Reply, RunRecord } from './record.ts';
import { costOfReply, type Priced } from './totals.ts';

/** Where the figures are found in CloudWatch, by the one dimension they have. */
export const NAMESPACE = 'Holdfast';
export const DIMENSION = 'Stage';

/** Everything that is measured, with its unit in CloudWatch's words. */
export const METRICS = {
  RunsStarted: 'Count',
  RunsCompleted: 'Count',
  RunsFailed: 'Count',
  RunsCancelled: 'Count',
  /** Runs that the platform could not get going: a person resumes them. */
  RunsInterrupted: 'Count',
  Turns: 'Count',
  /** Summaries that took the place of older records in a view. */
  Summaries: 'Count',
  /** How long the model took for a reply. */
  ReplyMs: 'Milliseconds',
  /** Read and written. */
  Tokens: 'Count',
  /** At list prices, US dollars, where the price is known. */
  CostUsd: 'None',
  /** Tries beyond the first, at replies and calls. */
  Retries: 'Count',
  /** Times that a run was made to wait, for an overloaded model or before a call is tried again. */
  Waits: 'Count',
  Asks: 'Count',
  /** Asks that come of a fault and not of an agent's plan. */
  Escalations: 'Count',
  /** Asks about a budget that is reached; they are escalations too. */
  BudgetsReached: 'Count',
  Answers: 'Count',
  /** Letters that could not be sent, by tries, and mails that came back. */
  LetterFailures: 'Count',
  LettersReturned: 'Count',
  RunsRunning: 'Count',
  RunsWaiting: 'Count',
  /** The age of the oldest run that has not ended. */
  OldestUnfinishedSeconds: 'Seconds',
  /** The longest time in which a running run gave no sign of life, and was not made to wait. */
  LongestSilenceSeconds: 'Seconds',
  OldestAskSeconds: 'Seconds',
} as const;
export type MetricName = keyof typeof METRICS;
export type Figures = Readonly<Partial<Record<MetricName, number>>>;

const FAULTS: readonly AskKind[] = ['escalation', 'outcome-unknown', 'restart'];
const ENDS = { completed: 'RunsCompleted', failed: 'RunsFailed', cancelled: 'RunsCancelled' } as const;

/** Says what a summary adds to the figures, when it is stored. */
export const figuresOfSummary = (summary: Priced & Pick<Reply, 'attempts'>): Figures => ({
  Summaries: 1,
  ...figuresOfUsage(summary),
  ...retries(summary.attempts - 1),
});

function figuresOfUsage(priced: Priced): Figures {
  const { inputTokens, outputTokens } = priced.usage;
  const cost = costOfReply(priced);
  return { Tokens: inputTokens + outputTokens, ...(cost ? { CostUsd: cost } : {}) };
}

/** Says what a record adds to the figures, when it is recorded. */
export function figuresOf(record: RunRecord): Figures {
  switch (record.type) {
    case 'task':
      return { RunsStarted: 1 };
    case 'reply':
      return { Turns: 1, ReplyMs: record.ms, ...figuresOfUsage(record), ...retries(record.attempts - 1) };
    case 'results':
      return retries(record.results.reduce((sum, { attempts }) => sum + Math.max(0, attempts - 1), 0));
    case 'ask':
      return {
        Asks: 1,
        ...(FAULTS.includes(record.kind) ? { Escalations: 1 } : {}),
        ...(isAboutBudget(record) ? { BudgetsReached: 1 } : {}),
      };
    case 'answer':
      return { Answers: 1 };
    case 'end':
      return { [ENDS[record.status]]: 1 };
    case 'user':
      return {};
  }
}

const isAboutBudget = ({ questions }: Ask): boolean => questions.some(({ budget }) => budget !== undefined);

const retries = (Retries: number): Figures => (Retries > 0 ? { Retries } : {});

/** Says how it stands with the running runs at a time, ms since the epoch. */
export function figuresOfRunning(runs: readonly Meta[], now: number): Figures {
  return {
    RunsRunning: runs.length,
    OldestUnfinishedSeconds: longest(runs, now, ({ createdAt }) => createdAt),
    LongestSilenceSeconds: longest(runs, now, ({ seenAt, waitUntil }) => Math.max(seenAt, waitUntil)),
  };
}

/** Says how it stands with the waiting runs at a time, ms since the epoch: a run asks in its last step before it waits. */
export function figuresOfWaiting(runs: readonly Meta[], now: number): Figures {
  return {
    RunsWaiting: runs.length,
    OldestUnfinishedSeconds: longest(runs, now, ({ createdAt }) => createdAt),
    OldestAskSeconds: longest(runs, now, ({ seenAt }) => seenAt),
  };
}

const longest = (runs: readonly Meta[], now: number, since: (run: Meta) => number): number =>
  runs.reduce((most, run) => Math.max(most, Math.round((now - since(run)) / 1000)), 0);
