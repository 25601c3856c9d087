import type { ErrorReport } from './function-error.ts';

/** What a worker says once, when it has tried to load its function. */
export const READY = 'ready';

/** One invocation, as the host sends it. */
export interface Invocation {
  requestId: string;
  event: unknown;
  /** When the invocation is ended by force, ms since the epoch. */
  deadline: number;
}

/** The answer of a worker: the handler's result as JSON, or its failure. */
export type Reply = { requestId: string; payload: string } | { requestId: string; error: ErrorReport };
