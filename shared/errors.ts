/** Errors with literal names: code and state machine match on them, and a minifier may not change them. */

/** A write lost its race, or meets an item that is already there. Not retryable as it is: read again. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError';
}

/** A stored item has a newer schema than this code, or none that it knows. */
export class UnreadableItemError extends Error {
  override readonly name = 'UnreadableItemError';
}

/** A run was erased: what it was is gone, and nothing is written for it. */
export class ErasedError extends Error {
  override readonly name = 'ErasedError';
}

/** The code that a run is pinned to is gone: no segment of it can be started. Not retryable as it is. */
export class VersionGoneError extends Error {
  override readonly name = 'VersionGoneError';
}

/** A record is larger than an item may be; nothing was written. Not retryable as it is. */
export class TooLargeError extends Error {
  override readonly name = 'TooLargeError';
}

/** The caller's request is at fault; `status` is the HTTP status, `field` the part of the body to blame. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly status: number;
  readonly title: string;
  readonly field: string | undefined;
  constructor(status: number, title: string, detail: string, field?: string) {
    super(detail);
    this.status = status;
    this.title = title;
    this.field = field;
  }
}

/** A declaration in `agents/` that cannot work. Thrown at start-up. */
export class DeclarationError extends Error {
  override readonly name = 'DeclarationError';
}

/**
 * For tools to throw when they know that nothing happened outside: the provider refused, or was never reached.
 * Any other error of a tool that writes leaves the outcome open.
 */
export class NoEffectError extends Error {
  override readonly name = 'NoEffectError';
}
