import type { DeskReport } from '../../agents/tau-retail/shop/desk.ts';
import type { RunSummary } from '../../shared/api.ts';
import type { Json } from '../../shared/json.ts';
import type { Question } from '../../shared/record.ts';
import { parseAskId } from '../../shared/tables.ts';
import type { Api } from './api.ts';
import type { Job } from './jobs.ts';
import type { ShopProcess } from './shop-process.ts';
import { type Judgement, judge } from './truth.ts';
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
  const nothing = { outputs: [], rows: [], duplicates: [], log: [], lost: [], deduped: 0, found: 0, segments: 0 };
  let runId = '';
  try {
    runId = await stage.api.start({ agent: `tau-retail-${job.mode}`, input: { set: job.set, task: job.task.task } }, job.key);
    const run = await followed(runId, stage, asked);
    return { ...nothing, job, runId, asked, ...(await judged(job, run, stage)), ms: Date.now() - begun };
  } catch (error) {
    return { ...nothing, job, runId, asked, lost: [(error as Error).message], ms: Date.now() - begun };
  }
}

async function judged({ task }: Job, run: RunSummary, { api, shop }: Stage) {
  const [records, journal] = await Promise.all([api.records(run.runId), shop.journal(run.runId)]);
  const lost = run.status === 'completed' ? [] : [`it is ${run.status} (${run.reason}): ${JSON.stringify(run)}`];
  const counts = { segments: run.segment, deduped: journal.deduped.length, found: journal.found.length };
  return { lost, ...counts, ...judge(task, records, journal) };
}

/** Looks after a run until it is over, or stuck. */
async function followed(runId: string, stage: Stage, asked: string[]): Promise<RunSummary> {
  let [seen, since] = ['', Date.now()];
  for (;;) {
    const run = await stage.watcher.look(runId);
    if (!['running', 'waiting'].includes(run.status)) return run;
    const sign = JSON.stringify(run);
    if (sign !== seen) [seen, since] = [sign, Date.now()];
    if (Date.now() - since > STUCK_MS) return run;
    if (run.ask) await answer(run, stage, asked);
  }
}

async function answer({ runId, ask: open }: RunSummary, { api, shop }: Stage, asked: string[]): Promise<void> {
  const seq = parseAskId(open?.id ?? '')?.seq;
  const [records, journal] = await Promise.all([api.records(runId), shop.journal(runId)]);
  const ask = records.at(-1);
  if (!open || ask?.type !== 'ask' || ask.seq !== seq) return;
  const answers = ask.questions.map((question) => answerTo(question, `${runId}/${ask.reply}/${question.index}`, journal));
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
