import { SCHEMA_VERSION } from '../../shared/record.ts';
import { runKey, SUMMARY_PREFIX, summaryKey } from '../../shared/tables.ts';
import { type ViewSummary, viewSummary } from '../../shared/view-summary.ts';
import { keepText } from './body.ts';
import { ABSENT, between, get, type Item, newestBetween, putIf, updateIf } from './dynamo.ts';
import { readItem, readItems } from './item.ts';
import { PAGE_BYTES } from './page-bytes.ts';

/** The newest summary of each run that this worker has read, for so many runs: it is looked at in every step. */
const CACHED_RUNS = 200;
const cache = new Map<string, ViewSummary>();

/** Reads the summary at a seq, from this worker's memory when it holds that very version. */
export async function readSummary(runId: string, seq: number, version?: number): Promise<ViewSummary | undefined> {
  const known = cache.get(runId);
  if (known?.seq === seq && known.version === version) return known;
  const item = await get({ pk: runKey(runId), sk: summaryKey(seq) });
  return item && keep(runId, await read(item));
}

/** Reads the summaries of a run, thrown away ones too, in order: all of them, or those above a seq up to another. */
export async function readSummaries(runId: string, above?: number, through?: number): Promise<ViewSummary[]> {
  const from = above === undefined ? SUMMARY_PREFIX : summaryKey(above + 1);
  const items = await between(runKey(runId), from, through === undefined ? `${SUMMARY_PREFIX}~` : summaryKey(through));
  return readItems(viewSummary, items);
}

/** How many are read at once, from the newest on. */
const AT_ONCE = 10;

/** The summaries of a run from the newest on, below a seq where one is given; read only as far as they are looked at. */
async function* newestFirst(runId: string, below?: number): AsyncGenerator<ViewSummary> {
  for (let to = below; ; ) {
    const last = to === undefined ? `${SUMMARY_PREFIX}~` : summaryKey(to - 1);
    const read = await readItems(viewSummary, await newestBetween(runKey(runId), SUMMARY_PREFIX, last, AT_ONCE));
    yield* read;
    if (read.length < AT_ONCE) return;
    to = read.at(-1)?.seq;
  }
}

/** The newest summary of a run that is not thrown away, below a seq where one is given. */
export async function newestSummary(runId: string, below?: number): Promise<ViewSummary | undefined> {
  for await (const summary of newestFirst(runId, below)) if (!summary.discarded) return summary;
  return undefined;
}

/** Reads the newest summaries of a run below a seq, in order, as many as fit into an answer: `before` is where the older ones begin. */
export async function summariesBefore(runId: string, below?: number): Promise<{ summaries: ViewSummary[]; before?: number }> {
  const summaries: ViewSummary[] = [];
  let bytes = 0;
  for await (const summary of newestFirst(runId, below)) {
    bytes += Buffer.byteLength(JSON.stringify(summary));
    const [oldest] = summaries;
    if (bytes > PAGE_BYTES && oldest) return { summaries, before: oldest.seq };
    summaries.unshift(summary);
  }
  return { summaries };
}

/** Stores a summary in place of the version before it; when another did first, that one is returned. */
export async function putSummary(runId: string, summary: ViewSummary): Promise<ViewSummary> {
  const { v, seq, version, at, ...content } = summary;
  const pk = runKey(runId);
  const item: Item = { pk, sk: summaryKey(seq), v, seq, version, at, ...(await keepText(pk, JSON.stringify(content))) };
  const unchanged =
    version === 1 ? ABSENT : { expression: '#version = :before', names: { '#version': 'version' }, values: { ':before': version - 1 } };
  if (await putIf(item, unchanged)) return keep(runId, summary);
  return keep(runId, await read((await get({ pk, sk: summaryKey(seq) })) as Item));
}

/** Marks a version of a summary as thrown away; the first to do so is kept. Returns undefined when another stands there, or none. */
export async function markDiscarded(
  runId: string,
  { seq, version }: Pick<ViewSummary, 'seq' | 'version'>,
  by: string,
): Promise<ViewSummary | undefined> {
  const item = await updateIf({ pk: runKey(runId), sk: summaryKey(seq) }, 'SET #discarded = if_not_exists(#discarded, :discarded)', {
    expression: '#version = :version AND #v = :v',
    names: { '#discarded': 'discarded', '#version': 'version', '#v': 'v' },
    values: { ':discarded': { by, at: Date.now() }, ':version': version, ':v': SCHEMA_VERSION },
  });
  return item && read(item);
}

const read = (item: Item): Promise<ViewSummary> => readItem(viewSummary, item);

function keep(runId: string, summary: ViewSummary): ViewSummary {
  cache.delete(runId);
  cache.set(runId, summary);
  const [oldest] = cache.keys();
  if (cache.size > CACHED_RUNS && oldest !== undefined) cache.delete(oldest);
  return summary;
}
