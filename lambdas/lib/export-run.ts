import { type ExportAt, PIECE_CHARACTERS } from '../../shared/api.ts';
import { exactText } from '../../shared/exact-json.ts';
import type { ExportLine } from '../../shared/export.ts';
import { filesIn } from '../../shared/file.ts';
import { canonical, type Json } from '../../shared/json.ts';
import type { Meta } from '../../shared/meta.ts';
import { filesOf } from '../../shared/record-files.ts';
import { parseEffectItemKey } from '../../shared/tables.ts';
import { readFile } from './file-store.ts';
import { unreadMessages } from './inbox.ts';
import { readLedgerItems } from './ledger.ts';
import { readLog, recordOf } from './log-store.ts';
import { readAllPinned } from './pin-store.ts';
import { readSummaries } from './summary-store.ts';

interface LineAt {
  readonly at: string;
  readonly text: string;
}

/** Returns a piece of the lines of an exported run, from a place on, and where the next one begins, if there is one. */
export async function exportPiece(meta: Meta, { at, from }: ExportAt): Promise<{ text: string; next?: ExportAt }> {
  let text = '';
  let skipped = from;
  for await (const line of linesFrom(meta, at)) {
    const rest = `${line.text}\n`.slice(skipped);
    const room = PIECE_CHARACTERS - text.length;
    if (rest.length > room) return { text: text + rest.slice(0, room), next: { at: line.at, from: skipped + room } };
    text += rest;
    skipped = 0;
  }
  return { text };
}

/** The lines from a place on: `meta`, `record:<seq>`, then `effect:` and each other kind with their number. */
async function* linesFrom(meta: Meta, at: string): AsyncGenerator<LineAt> {
  const [kind = '', number = '0'] = at.split(':');
  const first = KINDS.indexOf(kind as (typeof KINDS)[number]);
  const from = (which: (typeof KINDS)[number]) => (KINDS.indexOf(which) < first ? undefined : which === kind ? Number(number) : 0);
  if (kind === 'meta') yield { at: 'meta', text: canonical({ kind: 'meta', meta: metaJson(meta) }) };
  const seq = from('record');
  if (seq !== undefined) yield* records(meta, Math.max(1, seq));
  for (const [which, list] of [
    ['effect', effects],
    ['summary', summaries],
    ['pin', pins],
    ['message', messages],
    ['file', files],
  ] as const) {
    const start = from(which);
    if (start !== undefined) yield* numbered(which, start, list(meta));
  }
}

const KINDS = ['meta', 'record', 'effect', 'summary', 'pin', 'message', 'file'] as const;

/** META as it was where the run went on; its sets are lists. */
export function metaJson({ inbox, children, ...meta }: Meta): Json {
  if (meta.imported) return meta.imported.meta;
  const sets = { ...(inbox ? { inbox: [...inbox].sort() } : {}), ...(children ? { children: [...children].sort() } : {}) };
  return JSON.parse(JSON.stringify({ ...meta, ...sets })) as Json;
}

async function* records(meta: Meta, from: number): AsyncGenerator<LineAt> {
  for (let seq = from; ; seq++) {
    const record = await recordOf(meta, seq);
    if (!record) return;
    yield { at: `record:${seq}`, text: exactText({ kind: 'record', record } satisfies ExportLine) };
  }
}

async function* numbered(kind: string, from: number, lines: AsyncGenerator<ExportLine>): AsyncGenerator<LineAt> {
  let number = 0;
  for await (const line of lines) {
    if (number >= from) yield { at: `${kind}:${number}`, text: exactText(line) };
    number++;
  }
}

async function* effects({ runId }: Meta): AsyncGenerator<ExportLine> {
  for (const { sk, effect } of await readLedgerItems(runId)) {
    const at = parseEffectItemKey(sk);
    if (at) yield { kind: 'effect', ...at, effect };
  }
}

async function* summaries({ runId }: Meta): AsyncGenerator<ExportLine> {
  for (const summary of await readSummaries(runId)) yield { kind: 'summary', summary };
}

async function* pins({ runId }: Meta): AsyncGenerator<ExportLine> {
  for (const kept of await readAllPinned(runId)) yield { kind: 'pin', ...kept };
}

async function* messages({ runId }: Meta): AsyncGenerator<ExportLine> {
  for (const message of await unreadMessages(runId, await readLog(runId))) yield { kind: 'message', message };
}

async function* files(meta: Meta): AsyncGenerator<ExportLine> {
  const log = await readLog(meta.runId);
  const unread = await unreadMessages(meta.runId, log);
  const named = [
    ...log.flatMap((record) => [...filesOf(record), ...filesIn(record as unknown as Json)]),
    ...unread.flatMap(({ files: sent = [] }) => sent),
  ];
  const unique = new Map(named.map((ref) => [ref.sha256, ref]));
  for (const ref of [...unique.values()].sort((a, b) => (a.sha256 < b.sha256 ? -1 : 1))) {
    const bytes = await readFile(meta, ref);
    if (bytes) yield { kind: 'file', sha256: ref.sha256, base64: bytes.toString('base64') };
  }
}
