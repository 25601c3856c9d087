import { randomUUID } from 'node:crypto';
import { type RunSummary, runSummary } from '../../shared/api.ts';
import type { Ask, Question, RunRecord } from '../../shared/record.ts';
import type { Story } from './stories.ts';
import type { World } from './world.ts';

/** How a story ended. */
export interface Played {
  readonly run: RunSummary;
  readonly records: RunRecord[];
  /** Questions `outcome-unknown` that had to be answered. */
  readonly asked: number;
}

/** A story may take this long, ms; longer means that it is stuck. */
const PATIENCE_MS = 60_000;

/** Plays a story through the HTTP API as a client would: what fails with a 5xx is sent again, the same. */
export async function drive(url: string, story: Story, world: World): Promise<Played> {
  const end = Date.now() + PATIENCE_MS;
  const start = { agent: 'story', input: { story: story.name } };
  const { runId } = await post(url, '/runs', start, end, randomUUID());
  let steered = story.steer === undefined;
  let asked = 0;
  for (;;) {
    if (Date.now() > end) throw new Error(`"${story.name}" is stuck: ${JSON.stringify(await show(url, runId))}`);
    const run = await show(url, runId);
    if (!steered && story.steer?.when(run, world.applied.length)) {
      await post(url, `/runs/${runId}/${story.steer.path}`, story.steer.body, end, `steer-${runId}`);
      steered = true;
    } else if (run.status === 'waiting' && run.ask) {
      if (!steered && run.ask.kind === 'approval') continue;
      asked += run.ask.kind === 'outcome-unknown' ? 1 : 0;
      await answer(url, run, story, world, end);
    } else if (steered && isOver(run)) return { run, records: await recordsOf(url, runId), asked };
    else await new Promise((resolve) => setTimeout(resolve, 15));
  }
}

const isOver = ({ status }: RunSummary) => status === 'completed' || status === 'failed' || status === 'cancelled';

/** Answers from what is true in the world: the answers of a careful person. */
async function answer(url: string, run: RunSummary, story: Story, world: World, end: number): Promise<void> {
  const records = await recordsOf(url, run.runId);
  const ask = records.find(({ seq }) => `${run.runId}-${seq}` === run.ask?.id) as Ask | undefined;
  if (!ask || records.at(-1)?.seq !== ask.seq) return;
  const answers = ask.questions.map((question) => ({
    index: question.index,
    ...decisionOn(question, story, world, `${run.runId}/${ask.reply}/${question.index}`),
  }));
  await post(url, `/asks/${run.ask?.id}/answer`, { by: 'Ada', answers }, end).catch((error: Error) => {
    if (!error.message.includes('409')) throw error;
  });
}

function decisionOn(question: Question, story: Story, world: World, key: string) {
  if (question.kind === 'approval') return { decision: story.consent ?? 'deny' };
  if (question.kind !== 'outcome-unknown') throw new Error(`"${story.name}" was asked an unexpected question: ${question.text}`);
  return world.applied.some((effect) => effect.key === key)
    ? { decision: 'done', output: { done: question.tool } }
    : { decision: 'not-done' };
}

async function show(url: string, runId: string): Promise<RunSummary> {
  const response = await fetch(`${url}/runs/${runId}`);
  if (!response.ok) throw new Error(`GET /runs/${runId} answered ${response.status}: ${await response.text()}`);
  return runSummary.parse(await response.json());
}

async function recordsOf(url: string, runId: string): Promise<RunRecord[]> {
  const records: RunRecord[] = [];
  for (;;) {
    const page = (await (await fetch(`${url}/runs/${runId}/records?after=${records.length}`)).json()) as { records: RunRecord[] };
    records.push(...page.records);
    if (page.records.length === 0) return records;
  }
}

async function post(url: string, path: string, body: unknown, end: number, key?: string): Promise<{ runId: string }> {
  const headers = { 'content-type': 'application/json', ...(key ? { 'idempotency-key': key } : {}) };
  const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (response.ok) return (await response.json()) as { runId: string };
  if (response.status < 500 || Date.now() > end) throw new Error(`POST ${path} answered ${response.status}: ${await response.text()}`);
  return post(url, path, body, end, key);
}
