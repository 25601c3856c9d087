import * as z from 'zod';

/** The lowest limit for a summary: below it there is no room for task, plan, effects and a summary. */
export const MIN_COMPACTION_TOKENS = 1_000;

const compactionLimits = z.object({
  /** A request that would have more tokens than this waits for a summary. */
  atTokens: z.int().min(MIN_COMPACTION_TOKENS).optional(),
  /** Tokens of the newest records that a new summary leaves as they are. */
  keepTokens: z.int().positive().optional(),
});

/** When the model is shown a summary in place of older records, and how much of the newest it is still shown as it was. */
export const compaction = z
  .strictObject(compactionLimits.shape)
  .refine(({ atTokens, keepTokens }) => keepTokens === undefined || atTokens === undefined || keepTokens <= atTokens / 4, {
    path: ['keepTokens'],
    message: 'it may be at most a quarter of atTokens, so that a summary makes room',
  });

/** The limits a run is held to. */
export const policy = z.object({
  /** Turns until a person is asked whether to go on. */
  maxTurns: z.int().positive().default(500),
  /** Seconds until a person is asked, without those in which the run waits for answers; no limit when absent. */
  maxSeconds: z.int().positive().optional(),
  /** Tokens read and written, those from the cache included, until a person is asked; no limit when absent. */
  maxTokens: z.int().positive().optional(),
  /** US dollars at the model's price until a person is asked; no limit when absent. */
  maxCostUsd: z.number().positive().optional(),
  /** Tries at one call, by whatever cause, until a person is asked. */
  maxAttempts: z.int().positive().default(3),
  /** Tries at one model step, overload included, until a person is asked. 8 tries wait about 15 minutes in all. */
  maxModelAttempts: z.int().positive().default(8),
  /** Replies in a row that are empty or cut off before the run ends with that reason. */
  maxBadReplies: z.int().positive().default(3),
  /** Each limit that is absent follows from the context window of the run's model. */
  compaction: compaction.optional(),
  /**
   * When today's code is not that of a run's pin: the run stays on the code with which it began (`stay`, the default), a
   * person is asked once it is woken or recovered (`ask`), or it is repinned then, on the word of the person named (`adopt`).
   */
  onDrift: z.union([z.enum(['stay', 'ask']), z.strictObject({ adopt: z.string().min(1).max(200) })]).optional(),
});

/** A policy as it is kept with a run: one that newer code has written may say more. */
export const keptPolicy = policy.extend({
  compaction: compactionLimits.optional(),
  onDrift: z.union([z.enum(['stay', 'ask']), z.object({ adopt: z.string() })]).optional(),
});
export type Policy = z.infer<typeof policy>;
/** A policy as an author writes it: every limit optional. */
export type PolicySettings = z.input<typeof policy>;

/** What all runs of an agent together may spend in a day, UTC. Without any limit in it, it is only counted. */
export const budgetPerDay = z.strictObject({
  tokens: z.int().positive().optional(),
  costUsd: z.number().positive().optional(),
  runs: z.int().positive().optional(),
});
export type BudgetPerDay = z.infer<typeof budgetPerDay>;
