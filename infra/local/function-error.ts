/** A failed invocation as Step Functions sees it: `name` is the error type, `message` the cause, which is JSON. */
export class FunctionError extends Error {
  override readonly name: string;
  constructor({ errorType, errorMessage, trace }: ErrorReport) {
    super(JSON.stringify({ errorType, errorMessage, ...(trace ? { trace } : {}) }));
    this.name = errorType;
  }
}

/** What a function, or the runtime around it, says about its failure. */
export interface ErrorReport {
  errorType: string;
  errorMessage: string;
  trace?: string[];
}

/** What Lambda says when the process of a function ends in mid-invocation. */
export const exited = (requestId: string, how: string): ErrorReport => ({
  errorType: 'Runtime.ExitError',
  errorMessage: `RequestId: ${requestId} Error: Runtime exited with error: ${how}`,
});

/** What Lambda says when a function exceeds its limit. */
export const timedOut = (requestId: string, seconds: number): ErrorReport => ({
  errorType: 'Sandbox.Timedout',
  errorMessage: `RequestId: ${requestId} Error: Task timed out after ${seconds.toFixed(2)} seconds`,
});
