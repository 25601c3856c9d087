import type { Meta, RunStatus } from '../shared/meta.ts';
import { isOverdue } from '../shared/standing.ts';
import { readAsk } from './lib/ask-store.ts';
import { deliverCallbacks } from './lib/callbacks.ts';
import { removeDue } from './lib/erase.ts';
import { startSegment } from './lib/executions.ts';
import { logLine } from './lib/invocation.ts';
import { readLog } from './lib/log-store.ts';
import { measureRunning, measureWaiting } from './lib/metrics.ts';
import { notify } from './lib/notify.ts';
import { noteReach } from './lib/reach.ts';
import { listRuns } from './lib/run-list.ts';
import { sentenceOf } from './lib/sentence.ts';
import { wakeRun, wakeToEnd } from './lib/wake-run.ts';

/** The `ask` function is given this long to send its notices by itself, ms. */
const NOTIFYING_MS = 60_000;
/** Notices that a sweep does not begin within this wait for the next one, ms: a dead server must not keep runs from being woken. */
const SENDING_MS = 30_000;
/** A sweep takes up no further run after this, ms: those it has begun with end within the function's limit. */
const SWEEPING_MS = 45_000;
/** Runs that are listed at once. */
const PAGE = 200;
/** Runs that are looked after side by side. */
const TOGETHER = 20;

/** What a sweep tells whoever keeps more of runs than the tables do: those it erased. */
export interface Swept {
  readonly erased: readonly string[];
}

/** Looks after runs: removes those that are due, wakes those whose answer is there or too late, sends notices that were not sent, starts forgotten ones. */
export async function handler(): Promise<Swept> {
  const begun = Date.now();
  const end = begun + SWEEPING_MS;
  const erased: string[] = [];
  await Promise.all([
    runsOf('waiting', end, measureWaiting).then((runs) => forEach(runs, end, (meta) => tend(meta, begun + SENDING_MS))),
    runsOf('running', end, measureRunning).then((runs) => forEach(runs, end, startForgotten)),
    removeDue(end).then((runIds) => erased.push(...runIds)),
  ]);
  return { erased };
}

/** Lists the runs of a status until the time is over, ms since the epoch, and has them measured. */
async function runsOf(status: RunStatus, end: number, measure: (runs: readonly Meta[]) => void): Promise<Meta[]> {
  const all: Meta[] = [];
  let before: string | undefined;
  do {
    const { runs, next } = await listRuns({ statuses: [status], before, limit: PAGE });
    all.push(...runs);
    before = next;
  } while (before !== undefined && Date.now() < end);
  measure(all);
  return all;
}

/** Does something for each run until the time is over. What fails for one holds up no other. */
async function forEach(runs: readonly Meta[], end: number, act: (meta: Meta) => Promise<unknown>): Promise<void> {
  const safely = (meta: Meta) =>
    act(meta).catch((error: unknown) => logLine(meta.runId, `Cannot look after this run: ${sentenceOf(error)}`));
  for (let i = 0; i < runs.length && Date.now() < end; i += TOGETHER) await Promise.all(runs.slice(i, i + TOGETHER).map(safely));
}

/** How old a run is that has no step yet, ms: its start was cut off, or will not be long. */
const START_MS = 60_000;

/** Starts a run whose start was cut off before its first segment had one. */
async function startForgotten(meta: Meta): Promise<void> {
  const { epoch, segment, createdAt } = meta;
  if (epoch === 0 && segment === 1 && createdAt < Date.now() - START_MS) await startSegment(meta, 1);
}

async function tend(meta: Meta, until: number): Promise<void> {
  const { runId, waiting, cancel } = meta;
  const asked = waiting && (await readAsk(runId, waiting.seq));
  if (!asked) return;
  const { ask, standing, open } = asked;
  if (!open) return wakeRun(runId, ask);
  if (isOverdue(standing, Date.now()) || cancel) return wakeToEnd(meta, ask);
  await deliverCallbacks(runId, asked);
  if (Date.now() < ask.at + NOTIFYING_MS) return;
  await noteReach(runId, ask, await notify({ meta, ask, log: () => readLog(runId) }, until));
}
