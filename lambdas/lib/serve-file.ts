import { MAX_PIECE_BYTES } from '../../shared/api.ts';
import { ProblemError } from '../../shared/errors.ts';
import type { Meta } from '../../shared/meta.ts';
import { pictureOf } from '../../shared/picture.ts';
import { readFile } from './file-store.ts';
import type { BytesAnswer } from './http.ts';

/** What of a request for a file is read. */
export interface FileRequest {
  readonly sha256: string;
  /** The header `Range`. */
  readonly range: string | undefined;
  /** The name to save it under. */
  readonly name: string | undefined;
}

/**
 * Answers with a file of a run, or with a piece of it: one answer of a function is of limited size. Whatever the file holds, no
 * browser shows it as a page: it is to be saved, runs nothing, and only a picture is called by its type.
 */
export async function serveFile(run: Meta, { sha256, range, name }: FileRequest): Promise<BytesAnswer> {
  const bytes = /^[0-9a-f]{64}$/.test(sha256) ? await readFile(run, { sha256, bytes: 0 }) : undefined;
  if (!bytes) throw new ProblemError(404, 'No such file', `Run "${run.runId}" has no file with this hash`, 'sha256');
  const type = pictureOf(bytes)?.mediaType;
  const headers = {
    ...HARMLESS,
    'content-type': type ?? 'application/octet-stream',
    'content-disposition': savedAs(name ?? nameOf(sha256, type)),
  };
  const asked = range === undefined ? undefined : rangeIn(range, bytes.length);
  if (asked === undefined) return { status: 200, headers, bytes: whole(bytes) };
  const piece = bytes.subarray(asked.from, Math.min(asked.to, asked.from + MAX_PIECE_BYTES));
  const where = `bytes ${asked.from}-${asked.from + piece.length - 1}/${bytes.length}`;
  return { status: 206, headers: { ...headers, 'content-range': where }, bytes: piece };
}

const HARMLESS = {
  'accept-ranges': 'bytes',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

function whole(bytes: Buffer): Buffer {
  if (bytes.length <= MAX_PIECE_BYTES) return bytes;
  const how = `ask for it in pieces, with the header "Range: bytes=0-${MAX_PIECE_BYTES - 1}"`;
  throw new ProblemError(413, 'File too large', `The file has ${bytes.length} bytes, and one answer at most ${MAX_PIECE_BYTES}; ${how}`);
}

/** The bytes that a range names, `to` not among them. One that is no single range is as good as none. */
function rangeIn(range: string, size: number): { from: number; to: number } | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(range.trim()) ?? [];
  if (first === '' && last === '') return undefined;
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const to = first === '' || last === '' ? size : Math.min(size, Number(last) + 1);
  if (from < to) return { from, to };
  throw new ProblemError(416, 'Range not satisfiable', `The file has ${size} bytes`, 'Range');
}

const nameOf = (sha256: string, type: string | undefined): string => `${sha256.slice(0, 12)}.${type?.slice('image/'.length) ?? 'bin'}`;

/** A name as a header takes it: in plain letters, and as it is for those who read more (RFC 6266). */
function savedAs(name: string): string {
  const plain = name.replaceAll(/[^\w. -]/g, '_').slice(0, 100);
  const escaped = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${escaped}`;
}
