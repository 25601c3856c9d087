import { setTimeout } from 'node:timers/promises';
import * as z from 'zod';
import {
  type AnswerRequest,
  branchResponse,
  listRecordsResponse,
  listRunsResponse,
  type RunSummary,
  runSummary,
  type StartRunRequest,
  startRunResponse,
} from '../../shared/api.ts';
import type { RunRecord } from '../../shared/record.ts';

/** The API as a patient client uses it: what fails with a 5xx, or finds nobody, is sent again, the same. */
export interface Api {
  start(request: StartRunRequest, key: string): Promise<string>;
  /** Starts a run over; returns the new run. */
  restart(runId: string): Promise<string>;
  show(runId: string): Promise<RunSummary>;
  /** The newest runs that are running. */
  running(): Promise<RunSummary[]>;
  records(runId: string): Promise<RunRecord[]>;
  /** Answers an ask; one that is closed by now needs no answer. */
  answer(askId: string, answer: AnswerRequest): Promise<void>;
}

/** Requests that found nobody for this long are given up, ms. */
const PATIENCE_MS = 120_000;
const AGAIN_MS = 50;
const PAGE = 100;

/** Makes a client of the service that `url` names at the moment. */
export function apiAt(url: () => string): Api {
  const get = async <S extends z.ZodType>(path: string, schema: S) => read(await send(url, 'GET', path), schema, path);
  const post = (path: string, body: object, key?: string) => send(url, 'POST', path, body, key);
  return {
    start: async (request, key) => (await read(await post('/runs', request, key), startRunResponse, '/runs')).runId,
    restart: async (runId) => {
      const path = `/runs/${runId}/restart`;
      return (await read(await post(path, { by: 'the campaign' }), branchResponse, path)).run.runId;
    },
    show: (runId) => get(`/runs/${runId}`, runSummary),
    running: async () => (await get(`/runs?status=running&limit=${PAGE}`, listRunsResponse)).runs,
    async records(runId) {
      const records: RunRecord[] = [];
      for (;;) {
        const page = await get(`/runs/${runId}/records?after=${records.length}`, listRecordsResponse);
        records.push(...page.records);
        if (page.records.length < PAGE) return records;
      }
    },
    async answer(askId, answer) {
      const response = await post(`/asks/${askId}/answer`, answer);
      if (response.status !== 409) await read(response, z.unknown(), `/asks/${askId}/answer`);
    },
  };
}

/** What a fetch gave, whole. */
interface Got {
  readonly status: number;
  readonly text: string;
}

async function send(url: () => string, method: string, path: string, body?: object, key?: string): Promise<Got> {
  const headers = { 'content-type': 'application/json', ...(key ? { 'idempotency-key': key } : {}) };
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const got = await fetched(url() + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    if (got && got.status < 500) return got;
    if (Date.now() > end) throw new Error(`${method} ${path} failed for ${PATIENCE_MS / 1000} s: ${got?.text ?? 'nobody answered'}`);
    await setTimeout(AGAIN_MS);
  }
}

async function fetched(address: string, init: RequestInit): Promise<Got | undefined> {
  try {
    const response = await fetch(address, init);
    return { status: response.status, text: await response.text() };
  } catch {
    return undefined; // Nobody is there, or it was killed while it answered.
  }
}

function read<S extends z.ZodType>({ status, text }: Got, schema: S, path: string): z.infer<S> {
  if (status >= 300) throw new Error(`${path} answered ${status}: ${text}`);
  return schema.parse(JSON.parse(text));
}
