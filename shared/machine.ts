import * as z from 'zod';

/** The state of an execution: a cursor and small counters, never a body. All fields are always present. */
export const executionState = z.object({
  runId: z.string(),
  segment: z.int().positive(),
  /** The seq of the last record a step has seen; 0 at the start of a segment. */
  cursor: z.int().nonnegative(),
  /** History events so far, counted as Step Functions writes them. */
  events: z.int().nonnegative(),
  /** Failed invocations in a row. */
  failures: z.int().nonnegative(),
  /** The last failed invocation, as the platform reported it, until a step has read it. */
  failure: z.object({ Error: z.string().optional(), Cause: z.string().optional() }).nullable(),
});
export type ExecutionState = z.infer<typeof executionState>;

export const nextName = z.enum(['model', 'tools', 'ask', 'wait', 'continue', 'end']);
export type NextName = z.infer<typeof nextName>;

/** How an execution ends; `superseded` when a newer segment took over. */
export const outcome = z.enum(['none', 'completed', 'failed', 'cancelled', 'superseded']);
export type Outcome = z.infer<typeof outcome>;

/** What every step returns: the state, and what the loop does now. */
export const stepOutput = executionState.extend({ next: nextName, outcome, waitSeconds: z.int().nonnegative() });
export type StepOutput = z.infer<typeof stepOutput>;

/** The input of a segment's execution: the same on every attempt to start it. */
export const segmentInput = (runId: string, segment: number): ExecutionState => ({
  runId,
  segment,
  cursor: 0,
  events: 1,
  failures: 0,
  failure: null,
});

/** The name of a segment's execution (at most 80 characters). */
export const segmentName = (runId: string, segment: number) => `${runId}-${String(segment).padStart(4, '0')}`;

/** The number of the version that an ARN of a state machine names, if it names one. */
export function versionOf(machineArn: string): number | undefined {
  const [, number] = /:stateMachine:[^:]+:(\d+)$/.exec(machineArn) ?? [];
  return number === undefined ? undefined : Number(number);
}

/** History events that each state writes (recorded from Step Functions). */
export const EVENTS = { task: 5, callbackTask: 6, choice: 2, wait: 2, pass: 2, retry: 3 } as const;

/** Failed invocations in a row after which an execution gives up and is left to recovery. */
export const MAX_FAILURES = 30;

/**
 * How long one wait for an answer lasts, s. A token that times out is asked again, so this only bounds how long a wait
 * whose token was lost goes unnoticed: an execution itself may last a year.
 */
export const ASK_TIMEOUT_SECONDS = 30 * 24 * 3600;

/** Error names of the Fail states. */
export const FAIL = { failed: 'RunFailed', broken: 'TooManyFailures' } as const;

/** State names, as the console shows them. */
export const STATE = {
  model: 'ModelStep',
  choice: 'WhatNext',
  tools: 'ToolStep',
  ask: 'Ask',
  wait: 'Wait',
  continue: 'Continue',
  continued: 'Continued',
  crashed: 'Crashed',
  backoff: 'Backoff',
  failureLimit: 'FailureLimit',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
  superseded: 'Superseded',
  broken: 'Broken',
} as const;
