import * as z from 'zod';
import { effectRecord } from './effect.ts';
import { json } from './json.ts';
import { pinned } from './pinned.ts';
import { runRecord, SCHEMA_VERSION, user } from './record.ts';
import { viewSummary } from './view-summary.ts';

/** The version of the format. A file of a newer one is refused; version 1 had no pins and no messages. */
export const EXPORT_VERSION = 2;

/** The first line of an exported run: what is true of the file, and not of the run. */
export const exportHeader = z.object({
  kind: z.literal('holdfast-export'),
  version: z.int().positive(),
  runId: z.string(),
  /** ms since the epoch */
  exportedAt: z.number(),
  /** The service that it is of. */
  service: z.string(),
});
export type ExportHeader = z.infer<typeof exportHeader>;

/** A message that the run had not read. */
export const exportedMessage = user.shape.messages.element.extend({ v: z.literal(SCHEMA_VERSION) });

/** What is between: META, the records in order, the ledger, the summaries, the pins in full, the messages that were not read, and every file that records and messages name. */
export const exportLine = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('meta'), meta: json }),
  z.object({ kind: z.literal('record'), record: runRecord }),
  z.object({ kind: z.literal('effect'), seq: z.int().positive(), index: z.int().nonnegative(), effect: effectRecord }),
  z.object({ kind: z.literal('summary'), summary: viewSummary }),
  z.object({ kind: z.literal('pin'), hash: z.string().min(1), pinned }),
  z.object({ kind: z.literal('message'), message: exportedMessage }),
  z.object({ kind: z.literal('file'), sha256: z.string().regex(/^[0-9a-f]{64}$/), base64: z.base64() }),
]);
export type ExportLine = z.infer<typeof exportLine>;

/** The last line: a file without it was cut off, and one whose lines have another hash was changed. */
export const exportTrailer = z.object({ kind: z.literal('end'), lines: z.int().nonnegative(), sha256: z.string() });

/** The longest line that is sent as it is when it is imported, characters; a longer one is sent in parts. */
export const MAX_LINE_CHARACTERS = 1_000_000;
/** The largest part of a longer line, bytes. */
export const PART_BYTES = 2_000_000;
