import { AsyncLocalStorage } from 'node:async_hooks';
import { sentenceOf } from './sentence.ts';

/** What a step needs of the platform's invocation context (the same on Lambda and in the local runner). */
export interface Invocation {
  readonly awsRequestId: string;
  getRemainingTimeInMillis(): number;
}

/** What lines are about that do not say so themselves. */
export interface About {
  readonly runId?: string | undefined;
  /** `model:<cursor>`, `tools:<cursor>`, or the route of a request; else the function's name stands for it. */
  readonly step?: string | undefined;
}
const about = new AsyncLocalStorage<About>();

/** Does work whose lines are about a run and a step. */
export const during = <T>(what: About, work: () => T): T => about.run(what, work);

/** A line as its writer knows it. */
export type Line = About & { readonly message?: string } & Record<string, unknown>;

/**
 * Writes one line of JSON to the function's log, with run and step. Never throws: fields that are no JSON are left out,
 * and said so. It goes past `console`, which Lambda makes a wrapping of: metrics in a wrapped line are not seen.
 */
export function writeLine({ runId, step, message = '', ...fields }: Line): void {
  const { runId: ofRun = null, step: ofStep = process.env.AWS_LAMBDA_FUNCTION_NAME } = about.getStore() ?? {};
  const line = { at: new Date().toISOString(), runId: runId ?? ofRun, step: step ?? ofStep, message: String(message) };
  try {
    process.stdout.write(`${JSON.stringify({ ...line, ...fields })}\n`);
  } catch (error) {
    process.stdout.write(`${JSON.stringify({ ...line, fieldsLeftOut: sentenceOf(error) })}\n`);
  }
}

/** Writes a line about a run. Never throws. */
export const logLine = (runId: string, message: string, fields: Record<string, unknown> = {}): void =>
  writeLine({ ...fields, runId, message });

/** Writes what was thrown, where, and what caused it: names, sentences and places in the code, and nothing else that hangs on it. */
export const logError = (thrown: unknown): void => writeLine({ level: 'error', ...shown(thrown, MAX_CAUSES) });

const MAX_CAUSES = 5;

function shown(thrown: unknown, causes: number): { message: string } & Record<string, unknown> {
  const message = sentenceOf(thrown);
  if (!(thrown instanceof Error)) return { message };
  const frames = String(thrown.stack).match(/^ +at .*$/gm) ?? [];
  const cause = thrown.cause !== undefined && causes > 0 ? { cause: shown(thrown.cause, causes - 1) } : {};
  return { message, error: thrown.name, trace: frames.map((frame) => frame.trim()), ...cause };
}
