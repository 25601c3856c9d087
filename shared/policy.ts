import * as z from 'zod';

/** The limits a run is held to. */
export const policy = z.object({
  /** Turns until a person is asked whether to go on. */
  maxTurns: z.int().positive().default(500),
  /** Tries at one call, by whatever cause, until a person is asked. */
  maxAttempts: z.int().positive().default(3),
  /** Tries at one model step, overload included, until a person is asked. 8 tries wait about 15 minutes in all. */
  maxModelAttempts: z.int().positive().default(8),
  /** Replies in a row that are empty or cut off before the run ends with that reason. */
  maxBadReplies: z.int().positive().default(3),
});
export type Policy = z.infer<typeof policy>;
/** A policy as an author writes it: every limit optional. */
export type PolicySettings = z.input<typeof policy>;
