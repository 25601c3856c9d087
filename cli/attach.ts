import { readFileSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import { MAX_BODY_BYTES, type SentFile } from '../shared/api.ts';
import { FILE_KEY, fileFault } from '../shared/file.ts';
import type { Json } from '../shared/json.ts';
import { pictureOf } from '../shared/picture.ts';
import { oneLine } from './clean.ts';
import { type Terminal, UsageError } from './output.ts';

/** Gathers the values of an option that may be given more than once. */
export const collect = (value: string, before: readonly string[]): string[] => [...before, value];

/** Room in a request for all but its files, bytes. */
const ROOM = 100_000;

/** Reads files to be sent. Throws a UsageError for one that cannot be read or kept, and when they are too much for one request. */
export function attachments(terminal: Terminal, paths: readonly string[]): SentFile[] {
  const files = paths.map((path) => attachment(resolve(terminal.cwd, path)));
  const total = files.reduce((sum, { data }) => sum + data.length, 0);
  const most = Math.floor((MAX_BODY_BYTES - ROOM) / 4) * 3;
  if (total <= (most / 3) * 4) return files;
  throw new UsageError(`Cannot attach files of ${Math.ceil((total / 4) * 3)} bytes: one request takes about ${most}`);
}

function attachment(path: string): SentFile {
  const bytes = bytesOf(path);
  const file = { bytes, mediaType: typeOf(path, bytes), name: basename(path) };
  const fault = fileFault(file);
  if (fault) throw new UsageError(`Cannot attach ${oneLine(path, 300)}: ${fault}`);
  return { mediaType: file.mediaType, name: file.name, data: bytes.toString('base64') };
}

function bytesOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new UsageError(`Cannot attach ${oneLine(path, 300)}: ${(error as NodeJS.ErrnoException).code ?? 'unreadable'}`);
  }
}

/** By its bytes where these are a picture, whatever it is called; else by its ending. */
const typeOf = (path: string, bytes: Buffer): string =>
  pictureOf(bytes)?.mediaType ?? TYPES[extname(path).slice(1).toLowerCase()] ?? 'application/octet-stream';

const TYPES: Record<string, string> = {
  pdf: 'application/pdf',
  txt: 'text/plain',
  log: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
  svg: 'image/svg+xml',
  json: 'application/json',
  xml: 'application/xml',
  zip: 'application/zip',
};

/** The input with files: under `files` of an object, or beside the text of one that is text. */
export function withAttachments(input: Json, files: readonly SentFile[]): Json {
  if (files.length === 0) return input;
  const attached = files.map((file) => ({ [FILE_KEY]: file as unknown as Json }));
  if (typeof input === 'string') return { text: input, files: attached };
  if (input === null || typeof input !== 'object' || Array.isArray(input) || 'files' in input)
    throw new UsageError('Cannot attach files: the input must be text, or a JSON object without "files" of its own');
  return { ...input, files: attached };
}
