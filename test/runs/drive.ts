import { randomUUID } from 'node:crypto';
import { type RunSummary, runSummary } from '../../shared/api.ts';
import type { Ask, AskKind, Question, RunRecord } from '../../shared/record.ts';
import { answersOf, openAsk } from '../../shared/standing.ts';
import { askId, effectKey } from '../../shared/tables.ts';
import { copyRun } from './copy-run.ts';
import type { Story } from './stories.ts';
import type { World } from './world.ts';

/** How a story ended. */
export interface Played {
  readonly run: RunSummary;
  readonly records: RunRecord[];
  /** Questions `outcome-unknown` that had to be answered. */
  readonly asked: number;
}

/** A mail as it went out. */
export interface SentMail {
  readonly to: string;
  readonly text: string;
}

/** Where a story is played: the API's address, the outside, and the mails that went out. */
export interface Stage {
  readonly url: string;
  readonly world: World;
  readonly mails: () => Promise<readonly SentMail[]>;
  /** Lets the sweep come once, where it does not come by itself. */
  readonly sweep?: () => Promise<void>;
}

/** A story may take this long, ms; longer means that it is stuck. */
const PATIENCE_MS = 60_000;

/** Plays a story as a client would, through the HTTP API and mailed links: what fails with a 5xx is sent again, the same. */
export async function drive(stage: Stage, story: Story): Promise<Played> {
  const { url, world } = stage;
  const end = Date.now() + PATIENCE_MS;
  const start = { agent: story.agent ?? 'story', input: { story: story.name, ...story.attached } };
  let { runId } = await post(url, '/runs', start, end, randomUUID());
  const branches = [...(story.branches ?? [])];
  let steered = story.steer === undefined;
  let asked = 0;
  for (;;) {
    if (Date.now() > end) throw new Error(`"${story.name}" is stuck: ${JSON.stringify(await show(url, runId))}`);
    const run = await show(url, runId);
    if (!steered && story.steer?.when(run, world.applied.length)) {
      if (story.steer.method === 'DELETE') await erase(url, runId, story.steer.body, end);
      else await post(url, `/runs/${runId}/${story.steer.path}`, story.steer.body, end, `steer-${runId}`);
      steered = true;
    } else if (steered && branches[0]?.when(run, world.applied.length)) {
      const { path, body } = branches.shift() as NonNullable<Story['branches']>[number];
      ({ runId } = (await post(url, `/runs/${runId}/${path}`, body, end, `${path}-${runId}`)).run as RunSummary);
    } else if (run.status === 'waiting' && run.ask) {
      if ((!steered || branches.length > 0) && run.ask.kind === 'approval') continue;
      asked += (await answer(stage, run, story, end)) === 'outcome-unknown' ? 1 : 0;
      await soon(stage, story);
    } else if (steered && branches.length === 0 && isOver(run)) {
      if (story.copied) runId = await copyRun(url, runId, end);
      return { run: await show(url, runId), records: await recordsOf(url, runId), asked };
    } else await soon(stage, story);
  }
}

async function soon({ sweep }: Stage, { sweeps }: Story): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 15));
  if (sweeps) await sweep?.();
}

const isOver = ({ status }: RunSummary) => status === 'completed' || status === 'failed' || status === 'cancelled' || status === 'erased';

/** Erases a run as the command does: until nothing is left of it, whatever fails on the way. */
async function erase(url: string, runId: string, body: unknown, end: number): Promise<void> {
  for (;;) {
    const sent = { method: 'DELETE', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const response = await fetch(`${url}/runs/${runId}`, sent);
    if (response.status === 200) return;
    if ((response.status !== 202 && response.status < 500) || Date.now() > end)
      throw new Error(`DELETE /runs/${runId} answered ${response.status}: ${await response.text()}`);
  }
}

/** Answers from what is true in the world: the answers of a careful person. Returns the kind of what was answered. */
async function answer(stage: Stage, run: RunSummary, story: Story, end: number): Promise<AskKind | undefined> {
  const records = await recordsOf(stage.url, run.runId);
  const ask = openAsk(records);
  if (!ask || askId(run.runId, ask.seq) !== run.ask?.id || ask.kind === 'callback') return undefined;
  if (ask.kind === 'approval' && story.link) await followLink(stage, run, story.link);
  else if (ask.kind !== 'approval' || story.consent)
    await answerByApi(stage, run, { ask, said: answersOf(records, ask).length }, story, end);
  return ask.kind;
}

async function answerByApi({ url, world }: Stage, run: RunSummary, { ask, said }: { ask: Ask; said: number }, story: Story, end: number) {
  const answers = ask.questions.map((question) => ({
    index: question.index,
    // A run of a lineage may ask about an effect that the run before began under its own key.
    ...decisionOn(question, story, world, question.key ?? effectKey(run.runId, ask.reply ?? 0, question.index ?? 0)),
  }));
  const by = (story.people ?? ['Ada'])[said] ?? 'Ada';
  await post(url, `/asks/${run.ask?.id}/answer`, { by, answers }, end).catch((error: Error) => {
    if (!error.message.includes('409')) throw error;
  });
}

function decisionOn(question: Question, story: Story, world: World, key: string) {
  if (question.kind === 'approval') return { decision: story.consent, ...(story.edit === undefined ? {} : { input: story.edit }) };
  if (question.kind === 'question') return { decision: 'result', output: story.answer };
  if (question.budget && story.budget) return { decision: story.budget };
  if (question.kind === 'restart' && story.repin) return { decision: 'repin', model: story.repin };
  if (question.kind !== 'outcome-unknown') throw new Error(`"${story.name}" was asked an unexpected question: ${question.text}`);
  return world.applied.some((effect) => effect.key === key)
    ? { decision: 'done', output: { done: question.tool } }
    : { decision: 'not-done' };
}

/** Consents as the recipient of a mail does, once the mail is there: opens its link, and sends the form of the page. */
async function followLink({ mails, url }: Stage, run: RunSummary, recipient: string): Promise<void> {
  const mine = (await mails()).filter(({ to, text }) => to === recipient && text.includes(`/a/${run.ask?.id}?`));
  const links = new Set(mine.map(({ text }) => /https?:\/\/\S+\/a\/\S+/.exec(text)?.[0] ?? ''));
  const [link] = links;
  if (!link) return;
  if (links.size > 1) throw new Error(`${recipient} got ${links.size} different links to ask ${run.ask?.id}`);
  const { pathname, search } = new URL(link);
  const page = await fetch(url + pathname + search).catch(() => undefined);
  if (!page?.ok) return;
  const hidden = [...(await page.text()).matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
  const body = new URLSearchParams([...hidden.map((match) => [match[1] as string, match[2] as string]), ['decision.0', 'approve']]);
  await fetch(url + pathname, { method: 'POST', body, redirect: 'manual' }).catch(() => undefined);
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

async function post(url: string, path: string, body: unknown, end: number, key?: string): Promise<{ runId: string; run?: RunSummary }> {
  const headers = { 'content-type': 'application/json', ...(key ? { 'idempotency-key': key } : {}) };
  const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (response.ok) return (await response.json()) as { runId: string; run?: RunSummary };
  if (response.status < 500 || Date.now() > end) throw new Error(`POST ${path} answered ${response.status}: ${await response.text()}`);
  return post(url, path, body, end, key);
}
