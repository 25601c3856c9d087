import { setTimeout } from 'node:timers/promises';
import type { DeskReport } from '../../agents/tau-retail/shop/desk.ts';
import type { RunSummary } from '../../shared/api.ts';
import type { Json } from '../../shared/json.ts';
import type { Question } from '../../shared/record.ts';
import { parseAskId } from '../../shared/tables.ts';
import type { Api } from './api.ts';
import type { Job } from './jobs.ts';
import type { ShopProcess } from './shop-process.ts';
import { type Judgement, judge, reusedIn, takenIn, wrongWrites } from './truth.ts';
import type { Watcher } from './watcher.ts';

/** How a job ended. */
export interface Played extends Judgement {
  readonly job: Job;
  readonly runId: string;
  /** Why the run is lost: it is stuck, or ended otherwise than well. */
  readonly lost: readonly string[];
  /** The kind and reason of each question that had to be answered, and the answer. */
  readonly asked: readonly string[];
  /** How often an effect was met again and recognised: by its key, and by asking about it. */
  readonly deduped: number;
  readonly found: number;
  readonly segments: number;
  /** Calls that were answered from what the run before did. */
  readonly reused: number;
  /** Calls that the shop truly refuses, and took when the run was started over: its rows are not compared then. */
  readonly taken: number;
  readonly ms: number;
}

/** What a player works with. */
export interface Stage {
  readonly api: Api;
  readonly shop: ShopProcess;
  readonly watcher: Watcher;
}

/** A run that shows no sign of life for this long is stuck, ms. */
const STUCK_MS = 120_000;

/** Does a job through the API as a client would, answers what is asked from what is true, and judges what is left behind. */
export async function play(job: Job, stage: Stage): Promise<Played> {
  const begun = Date.now();
  const asked: string[] = [];
  const nothing = { outputs: [], rows: [], duplicates: [], log: [], lost: [], deduped: 0, found: 0, segments: 0, reused: 0, taken: 0 };
  let runId = '';
  try {
    runId = await stage.api.start({ agent: `tau-retail-${job.mode}`, input: { set: job.set, task: job.task.task } }, job.key);
    const first = job.restart ? await reached(runId, job.restart, stage, asked) : undefined;
    const last = first ? await stage.api.restart(runId) : runId;
    const run = await followed(last, stage, asked);
    const before = first ? await stage.api.show(runId) : undefined;
    if (before && !OVER.includes(before.status))
      return { ...nothing, job, runId, asked, lost: [`it is started over, and ${before.status}`], ms: Date.now() - begun };
    return { ...nothing, job, runId, asked, ...(await judged(job, runId, run, stage)), ms: Date.now() - begun };
  } catch (error) {
    return { ...nothing, job, runId, asked, lost: [(error as Error).message], ms: Date.now() - begun };
  }
}

const OVER: readonly string[] = ['completed', 'failed', 'cancelled'];

/** Looks after a run until it has come to the point at which it is started over, or is over. */
async function reached(runId: string, { turns, afterMs }: NonNullable<Job['restart']>, stage: Stage, asked: string[]): Promise<RunSummary> {
  const run = await followed(runId, stage, asked, (seen) => seen.totals.turns >= turns);
  await setTimeout(afterMs);
  return run;
}

/** A run that starts another over is at the desk of the first. */
async function judged({ task, restart }: Job, desk: string, run: RunSummary, { api, shop }: Stage) {
  const [records, journal] = await Promise.all([api.records(run.runId), shop.journal(desk)]);
  const lost = run.status === 'completed' ? [] : [`it is ${run.status} (${run.reason}): ${JSON.stringify(run)}`];
  const counts = { segments: run.segment, deduped: journal.deduped.length, found: journal.found.length };
  const found = judge(task, records, journal);
  if (!restart) return { lost, ...counts, ...found };
  // What is read again is read from rows that are changed by now; what the shop refused it may take now.
  const taken = takenIn(task, records);
  const rows = taken > 0 ? [] : found.rows;
  return { lost, ...counts, ...found, rows, taken, outputs: wrongWrites(task, records), reused: reusedIn(records) };
}

/** Looks after a run until it is over, or stuck. */
async function followed(
  runId: string,
  stage: Stage,
  asked: string[],
  isFar: (run: RunSummary) => boolean = () => false,
): Promise<RunSummary> {
  let [seen, since] = ['', Date.now()];
  for (;;) {
    const run = await stage.watcher.look(runId);
    if (!['running', 'waiting'].includes(run.status) || isFar(run)) return run;
    const sign = JSON.stringify(run);
    if (sign !== seen) [seen, since] = [sign, Date.now()];
    if (Date.now() - since > STUCK_MS) return run;
    if (run.ask) await answer(run, stage, asked);
  }
}

async function answer({ runId, ask: open, parent }: RunSummary, { api, shop }: Stage, asked: string[]): Promise<void> {
  const seq = parseAskId(open?.id ?? '')?.seq;
  const [records, journal] = await Promise.all([api.records(runId), shop.journal(parent?.runId ?? runId)]);
  const ask = records.at(-1);
  if (!open || ask?.type !== 'ask' || ask.seq !== seq) return;
  const answers = ask.questions.map((question) => answerTo(question, question.key ?? `${runId}/${ask.reply}/${question.index}`, journal));
  asked.push(...answers.map(({ decision }, i) => `${ask.questions[i]?.kind} (${ask.reason}) answered ${decision}`));
  await api.answer(open.id, { by: 'the campaign', answers });
}

/** What somebody would answer who looks into the shop's books. */
function answerTo({ kind, index, text, choices }: Question, key: string, { applied }: DeskReport) {
  const about = index === undefined ? {} : { index };
  if (kind === 'escalation' && choices.includes('retry')) return { ...about, decision: 'retry' } as const;
  if (kind !== 'outcome-unknown') throw new Error(`Cannot answer an unexpected question: ${text}`);
  const done = applied.find((one) => one.key === key);
  return done ? ({ ...about, decision: 'done', output: done.output as Json } as const) : ({ ...about, decision: 'not-done' } as const);
}
