import * as z from 'zod';
import { json } from './json.ts';
import { pin } from './pin.ts';
import { keptPolicy } from './policy.ts';
import { askKind, raises, SCHEMA_VERSION } from './record.ts';

/** `erased`: nothing but a tombstone is left. `imported`: read from a file, to be looked at. No step ever runs in either. */
export const runStatus = z.enum(['running', 'waiting', 'interrupted', 'completed', 'failed', 'cancelled', 'erased', 'imported']);
export type RunStatus = z.infer<typeof runStatus>;

/** Sums over the log, a projection. */
export const totals = z.object({
  turns: z.number(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheReadTokens: z.number(),
  cacheWriteTokens: z.number(),
  /** What the replies cost whose price was known, US dollars. */
  costUsd: z.number().optional(),
  /** Replies whose price was not known; absent when there are none. */
  unpriced: z.number().optional(),
  /** How long the run was at work, ms: without the time in which it waited for answers. */
  activeMs: z.number().optional(),
  /** By how much people raised its budgets; absent when nobody did. */
  raised: raises.optional(),
});
export type Totals = z.infer<typeof totals>;

/** How many items of each kind were removed, and blobs. */
export const removed = z.record(z.string(), z.number());
export type Removed = z.infer<typeof removed>;

/** What is known of a run that was erased: all that is left of it but for the guards against repeats. */
export const erased = z.object({
  /** When it was begun, ms since the epoch. */
  at: z.number(),
  by: z.string(),
  /** Absent while there is more to remove. */
  doneAt: z.number().optional(),
  removed,
});
export type Erased = z.infer<typeof erased>;

/** Where a run comes from: it starts another over, or it branches off after one of its records. */
export const parent = z.object({
  runId: z.string(),
  kind: z.enum(['restart', 'fork']),
  /** The last record that a fork shares with its parent. */
  at: z.int().positive().optional(),
  /** The run with which the lineage began. */
  root: z.string(),
  /** Who had it made. */
  by: z.string(),
});
export type Parent = z.infer<typeof parent>;

/** The one mutable item of a run: small, bounded, and repairable from the log but for requests and attempts. */
export const meta = z.object({
  v: z.literal(SCHEMA_VERSION),
  runId: z.string(),
  agent: z.string(),
  status: runStatus,
  /** Why the run is in this status, for a person. */
  reason: z.string(),
  pin,
  policy: keptPolicy,
  createdAt: z.number(),
  /** The last sign of life, ms since the epoch. */
  seenAt: z.number(),
  /** The current segment, from 1; steps of an older one stop without writing. */
  segment: z.int().positive(),
  /** Counts the invocations of steps: the fencing token of effects. */
  epoch: z.int().nonnegative(),
  /** Every invocation up to this epoch is known to be over. */
  overThrough: z.int().nonnegative(),
  /** The step in flight, `<kind>:<cursor>`, and its attempts. */
  step: z.string(),
  attempts: z.int().nonnegative(),
  /** Segments given since a step last began, to notice a platform that never gets one going. */
  recoveries: z.int().nonnegative(),
  /** No step before this time, ms since the epoch; 0 for none. */
  waitUntil: z.number(),
  /** Ids of messages in the inbox that may not be in the log yet. */
  inbox: z.set(z.string()).optional(),
  /** How often messages were struck from it, since they are in the log. */
  struck: z.int().positive().optional(),
  /** The ask a person is needed for. */
  waiting: z.object({ seq: z.int(), kind: askKind }).optional(),
  cancel: z.object({ at: z.number(), by: z.string(), /** The run that starts it over. */ restart: z.string().optional() }).optional(),
  parent: parent.optional(),
  /** The runs that started this one over or branched off from it. */
  children: z.set(z.string()).optional(),
  /** The run that goes on in its place: it takes no message any more. */
  restartedAs: z.string().optional(),
  totals,
  /** The summary that the view starts from, a projection of the stored ones. */
  summary: z
    .object({
      /** The summary is over the records up to here; 0 for none. */
      seq: z.int().nonnegative(),
      /** Which of the summaries at that seq it is. */
      version: z.int().nonnegative(),
      /** The length of the log when the view began to start from it: replies up to there were to another view. */
      since: z.int().nonnegative(),
      /** What all summaries of the run have cost so far, refused and discarded ones too. */
      spent: totals,
      /** The seq at which somebody wants a new one. */
      remake: z.int().positive().optional(),
    })
    .optional(),
  /** The seq of the reply that set the plan. */
  planAt: z.int().positive().optional(),
  /** The hash of the client's Idempotency-Key that started it: the claim is found by it. */
  startKey: z.string().optional(),
  /** When it is removed, ms since the epoch: it is over, and its agent has a time of retention. */
  removeAt: z.number().optional(),
  erased: erased.optional(),
  /** How it came here from a file: when, by whom, and its META as it was there. */
  imported: z
    .object({ at: z.number(), by: z.string(), meta: json, /** Not all of it is here yet. */ open: z.literal(true).optional() })
    .optional(),
});
export type Meta = z.infer<typeof meta>;

/** The statuses of runs that are there to be looked at: all but what was erased. */
export const KEPT_STATUSES = runStatus.options.filter((status) => status !== 'erased');
