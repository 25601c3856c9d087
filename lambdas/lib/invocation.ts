import { sentenceOf } from './sentence.ts';

/** What a step needs of the platform's invocation context (the same on Lambda and in the local runner). */
export interface Invocation {
  readonly awsRequestId: string;
  getRemainingTimeInMillis(): number;
}

/** Writes one structured line to the function's log. Never throws: fields that are no JSON are left out, and said so. */
export function logLine(runId: string, message: string, fields: Record<string, unknown> = {}): void {
  const line = { at: new Date().toISOString(), runId, message: String(message) };
  try {
    console.log(JSON.stringify({ ...line, ...fields }));
  } catch (error) {
    console.log(JSON.stringify({ ...line, fieldsLeftOut: sentenceOf(error) }));
  }
}
