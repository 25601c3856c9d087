import { type BlobPointer, runBlobs } from '../../shared/blob.ts';
import { ProblemError } from '../../shared/errors.ts';
import { exactText } from '../../shared/exact-json.ts';
import { type ExportLine, exportLine } from '../../shared/export.ts';
import { canonical, type Json } from '../../shared/json.ts';
import { type Meta, meta } from '../../shared/meta.ts';
import type { RunRecord } from '../../shared/record.ts';
import { META_KEY, runKey, summaryKey } from '../../shared/tables.ts';
import type { ViewSummary } from '../../shared/view-summary.ts';
import { deleteBlob, getBlob, putBlob } from './blob-store.ts';
import { keepText } from './body.ts';
import { ABSENT, putIf, updateIf } from './dynamo.ts';
import { putFiles } from './file-store.ts';
import { sha256 } from './hash.ts';
import { putMessage } from './inbox.ts';
import { callAddress, putEntry, readEffect } from './ledger.ts';
import { readRecord, recordItem } from './log-store.ts';
import { createMeta, readMeta } from './meta-store.ts';
import { putPinned } from './pin-store.ts';
import { readSummary } from './summary-store.ts';

/** Who imports a run, into which id. */
export interface Importing {
  readonly runId: string;
  readonly by: string;
}

/** Keeps a part of a line that is too long to be sent at once. */
export const keepPart = ({ runId }: Pick<Importing, 'runId'>, bytes: Uint8Array): Promise<BlobPointer> => putBlob(runBlobs(runId), bytes);

/** Takes a line that was sent in parts. Throws as `takeLine` does. */
export async function takeParts(importing: Importing, parts: readonly BlobPointer[]): Promise<void> {
  const stray = parts.find(({ key }) => !key.startsWith(runBlobs(importing.runId)));
  if (stray) throw wrong('parts', 'a part is of another run');
  const read: Buffer[] = [];
  for (const part of parts) read.push(await getBlob(part));
  await takeLine(importing, Buffer.concat(read).toString());
  for (const { key } of parts) await deleteBlob(key);
}

/** Lines that are taken side by side. */
const TOGETHER = 10;

/** Takes lines. That of META, which comes first, is taken before any other. */
export async function takeLines(importing: Importing, lines: readonly string[]): Promise<void> {
  const [first, ...rest] = lines;
  if (first !== undefined) await takeLine(importing, first);
  for (let i = 0; i < rest.length; i += TOGETHER) await Promise.all(rest.slice(i, i + TOGETHER).map((line) => takeLine(importing, line)));
}

/**
 * Takes one line of an exported run: what is there already stays, and must be the same. The line of META comes first. Throws
 * problems: 400 for a line that is none, 409 where something else is.
 */
async function takeLine(importing: Importing, text: string): Promise<void> {
  const line = readLine(text);
  if (line.kind === 'meta') return takeMeta(importing, line.meta);
  const { runId } = importing;
  if ((await readMeta(runId))?.status !== 'imported') throw noImport(runId);
  await takers[line.kind](runId, line as never);
}

function readLine(text: string): ExportLine {
  try {
    const parsed = exportLine.safeParse(JSON.parse(text));
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw wrong('lines', `it is no line of an exported run: ${issue?.path.join('.')}: ${issue?.message}`);
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    throw wrong('lines', `it is no JSON: ${(error as Error).message}`);
  }
}

const wrong = (field: string, why: string) => new ProblemError(400, 'Invalid body', `${field}: ${why}`, field);

async function takeMeta({ runId, by }: Importing, given: Json): Promise<void> {
  const { inbox, children, ...plain } = (given ?? {}) as { [key: string]: Json };
  const parsed = meta.safeParse({
    ...plain,
    ...(inbox ? { inbox: new Set(inbox as string[]) } : {}),
    ...(children ? { children: new Set(children as string[]) } : {}),
  });
  if (!parsed.success || parsed.data.runId !== runId) throw wrong('lines', `its META is not that of run "${runId}"`);
  if (await createMeta(importedMeta(parsed.data, given, by))) return;
  const there = await readMeta(runId);
  if (there?.imported && canonical(there.imported.meta) === canonical(given)) return;
  throw new ProblemError(409, 'Run is here', `Run "${runId}" is here already, ${there?.status}: it cannot be imported over that`);
}

/** The run as it is shown here: nothing of it goes on, and its relatives are not asked for. */
function importedMeta(original: Meta, given: Json, by: string): Meta {
  const {
    inbox: _,
    children: __,
    parent: ___,
    waiting: ____,
    cancel: _____,
    removeAt: ______,
    startKey: _______,
    restartedAs: ________,
    ...rest
  } = original;
  const reason = `not all of it is here: ${by} began to import it; import it again, or erase it`.slice(0, 500);
  return { ...rest, status: 'imported', reason, waitUntil: 0, imported: { at: Date.now(), by, meta: given, open: true } };
}

/** Notes that all lines of a run are here: until then it says that they are not, and is not exported. */
export async function closeImport({ runId }: Importing): Promise<void> {
  const there = await readMeta(runId);
  if (!there?.imported) throw noImport(runId);
  const { by, meta: before } = there.imported;
  const { status, reason } = before as { readonly status: string; readonly reason: string };
  await updateIf({ pk: runKey(runId), sk: META_KEY }, 'SET #reason = :reason REMOVE #imported.#open', {
    expression: 'attribute_exists(#imported)',
    names: { '#reason': 'reason', '#imported': 'imported', '#open': 'open' },
    values: { ':reason': `imported by ${by}; it was ${status} (${reason})`.slice(0, 500) },
  });
}

const noImport = (runId: string) => new ProblemError(409, 'No import', `Run "${runId}" is not being imported`);

const takers: {
  readonly [K in Exclude<ExportLine['kind'], 'meta'>]: (runId: string, line: Extract<ExportLine, { kind: K }>) => Promise<void>;
} = {
  record: (runId, { record }) => takeRecord(runId, record),
  effect: async (runId, { seq, index, effect }) => {
    const address = callAddress(runId, seq, index);
    if (await putEntry(address, effect, ABSENT)) return;
    assertSame(`ledger entry ${seq}/${index}`, await readEffect(address), effect);
  },
  summary: (runId, { summary }) => takeSummary(runId, summary),
  pin: (runId, { hash, pinned }) => putPinned(runId, hash, pinned),
  message: (runId, { message: { v: _, id, at, ...said } }) => putMessage(runId, id, said, at),
  file: async (runId, { sha256: hash, base64 }) => {
    const bytes = Buffer.from(base64, 'base64');
    if (sha256(bytes) !== hash) throw wrong('lines', `file ${hash} has another hash: it was changed`);
    await putFiles(runId, new Map([[hash, bytes]]));
  },
};

async function takeRecord(runId: string, record: RunRecord): Promise<void> {
  if (await putIf(await recordItem(runId, record), ABSENT)) return;
  assertSame(`record ${record.seq}`, await readRecord(runId, record.seq), record);
}

async function takeSummary(runId: string, summary: ViewSummary): Promise<void> {
  const { v, seq, version, at, ...content } = summary;
  const pk = runKey(runId);
  if (await putIf({ pk, sk: summaryKey(seq), v, seq, version, at, ...(await keepText(pk, JSON.stringify(content))) }, ABSENT)) return;
  assertSame(`summary up to record ${seq}`, await readSummary(runId, seq), summary);
}

function assertSame(what: string, there: object | undefined, given: object): void {
  if (exactText(there ?? {}) === exactText(given)) return;
  throw new ProblemError(409, 'Other content', `Another ${what} of this run is here already`);
}
