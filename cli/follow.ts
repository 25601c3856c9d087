import { setTimeout as pause } from 'node:timers/promises';
import { MAX_PAGE, MAX_WAIT_SECONDS, type RunSummary } from '../shared/api.ts';
import type { RunRecord } from '../shared/record.ts';
import type { ShownRecord } from '../shared/shown-record.ts';
import { askId } from '../shared/tables.ts';
import { type Client, UnreachableError } from './client.ts';

/** Who is told what happens in a run. */
export interface Follower {
  /** `log` holds the first record and the latest ones before this. */
  readonly record: (record: ShownRecord, log: readonly RunRecord[]) => void;
  /** After the records of each look at the run. */
  readonly run?: (run: RunSummary) => void;
  /** The service was lost, or was found again. */
  readonly lost?: (reason: string | undefined) => void;
}

export interface FollowSettings {
  /** The address may change when the service starts again, so that it is looked up at each try. */
  readonly client: () => Client;
  readonly runId: string;
  /** Go on looking while the run waits for an answer. */
  readonly stay: boolean;
  /** How long a lost service is looked for, s. */
  readonly patienceSeconds: number;
}

type Page = { readonly run: RunSummary; readonly records: readonly ShownRecord[] };

/** A look at a busy run, s: long enough to be cheap, short enough to show attempts and waits between two records. */
const LOOK_SECONDS = 3;
/** Between an ask or end and a status that says so, ms. */
const SETTLE_MS = 250;
/** Between two tries to find a lost service, ms. */
const RETRY_MS = 300;
/** Records that are kept to explain later ones. */
const KEPT = 50;

/** Tells a follower of every record of a run, in order, until it ends, or waits and nobody stays. Returns its last summary. */
export async function follow(settings: FollowSettings, follower: Follower): Promise<RunSummary> {
  let log: RunRecord[] = [];
  let wait = LOOK_SECONDS;
  for (;;) {
    const page = await look(settings, follower, log.at(-1)?.seq ?? 0, wait);
    for (const record of page.records) {
      follower.record(record, log);
      log = keep(log, record);
    }
    follower.run?.(page.run);
    if (isOver(page, log.at(-1), settings.stay)) return page.run;
    wait = await waitFor(page, log.at(-1));
  }
}

/** How long the next look may take, s. A log that has stopped while the run's status has not yet caught up is looked at soon again. */
async function waitFor({ run }: Page, last: RunRecord | undefined): Promise<number> {
  const stopped = last?.type === 'end' || (last?.type === 'ask' && last.kind !== 'callback');
  const settling = stopped && run.status === 'running';
  if (settling) await pause(SETTLE_MS);
  if (settling) return 0;
  return run.status === 'waiting' ? MAX_WAIT_SECONDS : LOOK_SECONDS;
}

const keep = (log: RunRecord[], record: RunRecord): RunRecord[] =>
  log.length < KEPT ? [...log, record] : [log[0] as RunRecord, ...log.slice(2 - KEPT), record];

/** The run's status is a projection and may be a moment apart from its log: both must say so, or nothing more come. */
function isOver({ run, records }: Page, last: RunRecord | undefined, stay: boolean): boolean {
  if (run.status === 'running') return false;
  if (run.status !== 'waiting' && run.status !== 'interrupted') return last?.type === 'end' || records.length === 0;
  return !stay && (records.length === 0 || (last !== undefined && run.ask?.id === askId(run.runId, last.seq)));
}

/** Asks for the records after `after`; while the service is lost, asks again until patience ends. */
async function look(settings: FollowSettings, follower: Follower, after: number, wait: number) {
  const query = { after, wait, limit: MAX_PAGE };
  let lostAt: number | undefined;
  for (;;) {
    try {
      const page = await settings.client().records(settings.runId, query);
      if (lostAt !== undefined) follower.lost?.(undefined);
      return page;
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error;
      if (lostAt === undefined) follower.lost?.(error.message);
      lostAt ??= Date.now();
      if (Date.now() - lostAt >= settings.patienceSeconds * 1000) throw error;
      await pause(RETRY_MS);
    }
  }
}
