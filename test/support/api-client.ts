import type { RunSummary } from '../../shared/api.ts';
import type { Json } from '../../shared/json.ts';
import type { Ask, Result, RunRecord } from '../../shared/record.ts';

/** A response as a test looks at it. */
export interface Answered<T = unknown> {
  readonly status: number;
  readonly body: T;
}

/** A client of the HTTP API that hides nothing. */
export function apiClient(url: string) {
  const call = async <T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answered<T>> => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(url + path, { method, headers: { 'content-type': 'application/json', ...headers }, ...sent });
    return { status: response.status, body: (await response.json()) as T };
  };
  const show = async (runId: string) => (await call<RunSummary>('GET', `/runs/${runId}`)).body;
  return {
    call,
    show,
    start: async (agent: string, input: Json, key?: string) =>
      (await call<{ runId: string }>('POST', '/runs', { agent, input }, key ? { 'idempotency-key': key } : {})).body.runId,
    /** Waits until the run is in one of the statuses. */
    async until(runId: string, ...statuses: RunSummary['status'][]): Promise<RunSummary> {
      const end = Date.now() + 60_000;
      for (;;) {
        const run = await show(runId);
        if (statuses.includes(run.status)) return run;
        if (Date.now() > end) throw new Error(`Run "${runId}" is still ${run.status} (${run.reason}), at ${run.step}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    records: async (runId: string) => (await call<{ records: RunRecord[] }>('GET', `/runs/${runId}/records`)).body.records,
    answer: (run: RunSummary, body: unknown) => call<{ title: string; detail: string }>('POST', `/asks/${run.ask?.id}/answer`, body),
  };
}

/** All results of a log, in order. */
export const resultsIn = (records: RunRecord[]): Result[] => records.flatMap((record) => (record.type === 'results' ? record.results : []));

/** The newest ask of a log. */
export const askIn = (records: RunRecord[]): Ask => records.findLast((record) => record.type === 'ask') as Ask;
