import type { Meta } from '../shared/meta.ts';
import { isOverdue } from '../shared/standing.ts';
import { readAsk } from './lib/ask-store.ts';
import { deliverCallbacks } from './lib/callbacks.ts';
import { startSegment } from './lib/executions.ts';
import { logLine } from './lib/invocation.ts';
import { readLog } from './lib/log-store.ts';
import { measureRunning, measureWaiting } from './lib/metrics.ts';
import { notify } from './lib/notify.ts';
import { noteReach } from './lib/reach.ts';
import { listRuns } from './lib/run-list.ts';
import { sentenceOf } from './lib/sentence.ts';
import { wakeAsk } from './lib/waits.ts';

/** The `ask` function is given this long to send its notices by itself, ms. */
const NOTIFYING_MS = 60_000;
/** Notices that a sweep does not begin within this wait for the next one, ms: a dead server must not keep runs from being woken. */
const SENDING_MS = 30_000;
/** Runs that one sweep looks at. */
const MAX_RUNS = 1_000;

/** Looks after runs: wakes those whose answer is there or too late, sends notices that were not sent, starts forgotten ones. */
export async function handler(): Promise<void> {
  const { runs } = await listRuns({ statuses: ['waiting'], limit: MAX_RUNS });
  measureWaiting(runs);
  await startForgotten();
  const until = Date.now() + SENDING_MS;
  for (const meta of runs) {
    await tend(meta, until).catch((error: unknown) => logLine(meta.runId, `Cannot look after this run: ${sentenceOf(error)}`));
  }
}

/** How old a run is that has no step yet, ms: its start was cut off, or will not be long. */
const START_MS = 60_000;

/** Starts the runs whose start was cut off before their first segment had one. */
async function startForgotten(): Promise<void> {
  const { runs } = await listRuns({ statuses: ['running'], limit: MAX_RUNS });
  measureRunning(runs);
  const forgotten = runs.filter(({ epoch, segment, createdAt }) => epoch === 0 && segment === 1 && createdAt < Date.now() - START_MS);
  for (const meta of forgotten) await startSegment(meta, 1);
}

async function tend(meta: Meta, until: number): Promise<void> {
  const { runId, waiting, cancel } = meta;
  const asked = waiting && (await readAsk(runId, waiting.seq));
  if (!asked) return;
  const { ask, standing, open } = asked;
  if (!open || isOverdue(standing, Date.now()) || cancel) return wakeAsk(runId, ask.seq);
  await deliverCallbacks(runId, asked);
  if (Date.now() < ask.at + NOTIFYING_MS) return;
  await noteReach(runId, ask, await notify({ meta, ask, log: () => readLog(runId) }, until));
}
