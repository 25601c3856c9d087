/** What a step needs of the platform's invocation context (the same on Lambda and in the local runner). */
export interface Invocation {
  readonly awsRequestId: string;
  getRemainingTimeInMillis(): number;
}

/** Writes one structured line to the function's log. */
export function logLine(runId: string, message: string, fields: Record<string, unknown> = {}): void {
  console.log(JSON.stringify({ at: new Date().toISOString(), runId, message, ...fields }));
}
