import { findAgent } from '../shared/agent.ts';
import {
  exportQuery,
  listAsksQuery,
  listRecordsQuery,
  listRunsQuery,
  listSummariesQuery,
  PIECE_CHARACTERS,
  type PinResponse,
  type RunSummary,
  recordPieceQuery,
  showFileQuery,
  showRunQuery,
} from '../shared/api.ts';
import { dayTotalsOf } from '../shared/day.ts';
import { ProblemError } from '../shared/errors.ts';
import { exactText } from '../shared/exact-json.ts';
import { KEPT_STATUSES, type Meta } from '../shared/meta.ts';
import { pinNow } from '../shared/pin-now.ts';
import { planIn } from '../shared/plan.ts';
import { MAX_SHOWN_BYTES, showRecord } from '../shared/shown-record.ts';
import { shownSummaryOf, summaryOf } from '../shared/summary.ts';
import { askId, isRunId } from '../shared/tables.ts';
import { allAgents } from './lib/agents.ts';
import { readAsk } from './lib/ask-store.ts';
import { dayOf, readDay } from './lib/day-store.ts';
import { driftOf } from './lib/drift.ts';
import { exportPiece } from './lib/export-run.ts';
import { type HttpEvent, httpHandler, readQuery } from './lib/http.ts';
import { readable } from './lib/item.ts';
import { knownRun } from './lib/known-run.ts';
import { readLog, recordOf, recordsAfter } from './lib/log-store.ts';
import { noticeSummaryOf, readNotices } from './lib/notice-store.ts';
import { PAGE_BYTES } from './lib/page-bytes.ts';
import { readPinned } from './lib/pin-store.ts';
import { listRuns } from './lib/run-list.ts';
import { serveFile } from './lib/serve-file.ts';
import { summariesBefore } from './lib/summary-store.ts';
import { until } from './lib/until.ts';

/** Everything that is looked at: runs, records, open asks, agents. Nothing here changes anything. */
export const handler = httpHandler({
  'GET /runs': list,
  'GET /runs/{id}': show,
  'GET /runs/{id}/records': records,
  'GET /runs/{id}/summaries': summaries,
  'GET /runs/{id}/files/{sha256}': file,
  'GET /runs/{id}/records/{seq}': piece,
  'GET /runs/{id}/pin': pin,
  'GET /runs/{id}/export': exported,
  'GET /asks': asks,
  'GET /agents': agents,
});

async function list(event: HttpEvent) {
  const { status, agent, limit, before } = readQuery(event, listRunsQuery);
  const { runs, next } = await listRuns({ statuses: status ? [status] : KEPT_STATUSES, agent, before: cursorOf(before), limit });
  return { status: 200, body: { runs: runs.map(summaryOf), next } };
}

/** The run id below which a page begins. */
function cursorOf(before: string | undefined): string | undefined {
  if (before !== undefined && !isRunId(before)) throw new ProblemError(400, 'Invalid query', 'before: it must be a run id', 'before');
  return before;
}

async function show(event: HttpEvent) {
  const { wait } = readQuery(event, showRunQuery);
  const run = await until(
    wait,
    () => knownRun(event),
    ({ status }) => status !== 'running',
  );
  return { status: 200, body: { ...summaryOf(run), ...(await planOf(run)) } satisfies RunSummary };
}

/** The plan is in the record that set it. */
async function planOf(meta: Meta): Promise<Pick<RunSummary, 'plan'>> {
  const [record] = meta.planAt ? await recordsAfter(meta, meta.planAt - 1, 1) : [];
  const plan = planIn(record);
  return plan ? { plan } : {};
}

async function summaries(event: HttpEvent) {
  const { before: below } = readQuery(event, listSummariesQuery);
  const meta = await knownRun(event);
  const page = meta.summary ? await summariesBefore(meta.runId, below) : { summaries: [] };
  return { status: 200, body: { run: summaryOf(meta), ...page, summaries: page.summaries.map((each) => shownSummaryOf(meta, each)) } };
}

async function records(event: HttpEvent) {
  const { after, wait, limit } = readQuery(event, listRecordsQuery);
  const meta = await knownRun(event);
  if (meta.status === 'erased') return { status: 200, body: { run: summaryOf(meta), records: [] } };
  const found = await until(
    wait,
    () => recordsAfter(meta, after, limit),
    ({ length }) => length > 0,
  );
  return { status: 200, body: { run: summaryOf(await knownRun(event)), records: found } };
}

/** A file that a record names, by its hash. */
async function file(event: HttpEvent) {
  const { name } = readQuery(event, showFileQuery);
  return serveFile(await knownRun(event), { sha256: event.pathParameters?.sha256 ?? '', range: event.headers.range, name });
}

/** A piece of the lines of an exported run. */
async function exported(event: HttpEvent) {
  const at = readQuery(event, exportQuery);
  const meta = await knownRun(event);
  if (meta.status === 'erased') throw new ProblemError(410, 'Run was erased', `Run "${meta.runId}" was erased: there is nothing to export`);
  if (meta.imported?.open)
    throw new ProblemError(409, 'Import is not whole', `Not all of run "${meta.runId}" is here: import it again, then export it`);
  return { status: 200, body: await exportPiece(meta, at) };
}

/** One record whole, however large it is, in pieces of its JSON text. */
async function piece(event: HttpEvent) {
  const { from } = readQuery(event, recordPieceQuery);
  const text = await textOfRecord(await knownRun(event), Number(event.pathParameters?.seq));
  if (from > text.length) throw new ProblemError(400, 'Invalid query', `from: the record has ${text.length} characters`, 'from');
  const end = from + PIECE_CHARACTERS;
  const more = end < text.length ? { next: end } : {};
  return {
    status: 200,
    body: { seq: Number(event.pathParameters?.seq), characters: text.length, from, text: text.slice(from, end), ...more },
  };
}

async function textOfRecord(meta: Meta, seq: number): Promise<string> {
  const record = Number.isSafeInteger(seq) && seq > 0 ? await recordOf(meta, seq) : undefined;
  if (!record) throw new ProblemError(404, 'No such record', `Run "${meta.runId}" has no record at this seq`);
  return exactText(record);
}

/** What a run is pinned to, and what is different in the code that is in service. */
async function pin(event: HttpEvent) {
  const meta = await knownRun(event);
  const { runId } = meta;
  const now = pinNow(meta.pin, await readLog(runId));
  const agent = findAgent(allAgents, meta.agent);
  const drift = agent && (await driftOf(runId, now, agent));
  const kept = await readPinned(runId, now.hash);
  const body = { runId, pin: now, ...(kept ? { pinned: kept } : {}), ...(drift ? { drift } : {}) };
  return { status: 200, body: body satisfies PinResponse };
}

/** A run waits for one ask at a time, so the open asks are those of the waiting runs. */
async function asks(event: HttpEvent) {
  const { limit, before } = readQuery(event, listAsksQuery);
  const { runs, next } = await listRuns({ statuses: ['waiting'], limit, before: cursorOf(before) });
  const open = runs.flatMap(({ runId, agent, waiting }) => (waiting ? [{ runId, agent, seq: waiting.seq }] : []));
  const share = Math.min(MAX_SHOWN_BYTES, Math.floor(PAGE_BYTES / Math.max(1, open.length)));
  const shown = await Promise.all(open.map((at) => readable(() => askShown(at, share))));
  return { status: 200, body: { asks: shown.filter((ask) => ask !== undefined), next } };
}

async function askShown({ runId, agent, seq }: { runId: string; agent: string; seq: number }, share: number) {
  const [found, notices] = await Promise.all([readAsk(runId, seq), readNotices(runId, seq)]);
  if (!found?.open) return undefined;
  const { ask, answers } = found;
  return {
    id: askId(runId, seq),
    runId,
    agent,
    ask: showRecord(ask, share / 2),
    answers: answers.map((answer) => showRecord(answer, share / 2 / answers.length)),
    notices: notices.map(noticeSummaryOf),
  };
}

async function agents() {
  const shown = allAgents.map(async ({ name, description, model, tools, budgetPerDay }) => ({
    name,
    description,
    model,
    tools: tools.map((tool) => ({ name: tool.name, description: tool.description, effect: tool.effect })),
    ...(budgetPerDay ? { today: dayTotalsOf(await readDay({ agent: name, day: dayOf(Date.now()) }), budgetPerDay) } : {}),
  }));
  return { status: 200, body: { agents: await Promise.all(shown) } };
}
