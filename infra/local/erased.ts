import type { Outbox } from './outbox.ts';

/** What the host keeps of runs beside the tables: their mails. Runs that are erased lose them. */
export interface Erased {
  /** After a request to erase one. */
  note(runId: string): Promise<void>;
  /** After a sweep, by what it answered. */
  noteSwept(payload: string): Promise<void>;
}

export function erasedOf(outbox: Outbox): Erased {
  const note = (runId: string) => outbox.removeOf(runId);
  return {
    note,
    async noteSwept(payload) {
      const { erased = [] } = (JSON.parse(payload || '{}') ?? {}) as { erased?: readonly string[] };
      for (const runId of erased) await note(runId);
    },
  };
}
