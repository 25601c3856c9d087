import { randomUUID } from 'node:crypto';
import { type ErrorReport, FunctionError, timedOut } from './function-error.ts';
import type { Invocation } from './worker-protocol.ts';

/** How long the process of a function may take to load it, s: as on Lambda, not part of the function's own limit. */
const LOAD_SECONDS = 10;

/** An invocation that is not over. What settles it first decides. */
export interface InFlight {
  requestId: string;
  result: Promise<string>;
  /** Starts the function's clock. */
  begin(): Invocation;
  /** With the result as JSON, or with the failure. */
  settle(outcome: string | ErrorReport): void;
}

/** Makes an invocation that fails when its time is up; `onTimeout` is told then. */
export function createInFlight(event: unknown, timeoutSeconds: number, onTimeout: () => void): InFlight {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const requestId = randomUUID();
  let timer = expireIn(timeoutSeconds + LOAD_SECONDS);

  function expireIn(seconds: number): NodeJS.Timeout {
    return setTimeout(() => {
      settle(timedOut(requestId, timeoutSeconds));
      onTimeout();
    }, seconds * 1000);
  }

  function begin(): Invocation {
    clearTimeout(timer);
    timer = expireIn(timeoutSeconds);
    return { requestId, event, deadline: Date.now() + timeoutSeconds * 1000 };
  }

  function settle(outcome: string | ErrorReport): void {
    clearTimeout(timer);
    if (typeof outcome === 'string') resolve(outcome);
    else reject(new FunctionError(outcome));
  }

  return { requestId, result: promise, begin, settle };
}
