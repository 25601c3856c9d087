import * as z from 'zod';
import { totals } from './meta.ts';
import { SCHEMA_VERSION, usage } from './record.ts';

/** A stored summary over the records of a run up to `seq`: a part of the view, which can be thrown away and made again. */
export const viewSummary = z.object({
  v: z.literal(SCHEMA_VERSION),
  seq: z.int().positive(),
  /** Counts the summaries at this seq. */
  version: z.int().positive(),
  at: z.number(),
  /** The summary that this one goes on from, by its seq; 1 is the task. */
  after: z.int().positive(),
  /** Which of the summaries at that seq it was made from; absent where there was none, and of old ones. */
  afterVersion: z.int().positive().optional(),
  /** What the model wrote. */
  text: z.string(),
  /** Plan, effects and messages up to `seq`, as the log has them: nothing that a model could forget. */
  facts: z.string(),
  model: z.string(),
  servedModel: z.string().optional(),
  requestId: z.string().optional(),
  usage,
  /** US dollars; absent when the price was not known. */
  costUsd: z.number().optional(),
  /** How long the model took, ms. */
  ms: z.number(),
  attempts: z.int().positive(),
  /** Estimated tokens of this summary, and of what the view shows it in place of. */
  tokens: z.number(),
  replacedTokens: z.number(),
  /** What all summaries of the run have cost so far. */
  spent: totals,
  /** Who threw it away, and when. */
  discarded: z.object({ by: z.string(), at: z.number() }).optional(),
});
export type ViewSummary = z.infer<typeof viewSummary>;

/** A summary as the model is told of it. */
export const summaryText = ({ seq, text, facts }: Pick<ViewSummary, 'seq' | 'text' | 'facts'>): string =>
  [
    `(The work so far is longer than you can be shown. Records 2 to ${seq} of it are summed up here, by you; what came after follows as it was.)`,
    `<summary>\n${text}\n</summary>`,
    facts,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
