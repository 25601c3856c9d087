import { randomUUID } from 'node:crypto';
import { type ErrorReport, FunctionError, timedOut } from './function-error.ts';
import type { Invocation } from './worker.ts';

/** An invocation that is not over. What settles it first decides. */
export interface InFlight {
  invocation: Invocation;
  result: Promise<string>;
  /** With the result as JSON, or with the failure. */
  settle(outcome: string | ErrorReport): void;
}

/** Begins an invocation, which fails after its time; `onTimeout` is told then. */
export function beginInvocation(event: unknown, timeoutSeconds: number, onTimeout: () => void): InFlight {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const requestId = randomUUID();
  const timer = setTimeout(() => {
    settle(timedOut(requestId, timeoutSeconds));
    onTimeout();
  }, timeoutSeconds * 1000);
  function settle(outcome: string | ErrorReport): void {
    clearTimeout(timer);
    if (typeof outcome === 'string') resolve(outcome);
    else reject(new FunctionError(outcome));
  }
  return { invocation: { requestId, event, deadline: Date.now() + timeoutSeconds * 1000 }, result: promise, settle };
}
