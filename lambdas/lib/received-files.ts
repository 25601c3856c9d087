import { type SentFile, sentFile } from '../../shared/api.ts';
import { ProblemError } from '../../shared/errors.ts';
import { FILE_KEY, type FileRef, fileFault, fileJson, MAX_FILES, refOf } from '../../shared/file.ts';
import { keptCharacters, MOST_FILE_TEXTS } from '../../shared/file-text.ts';
import type { Json } from '../../shared/json.ts';
import { sha256 } from './hash.ts';

/** What came with files in it, as it is kept: what stands for them in their places, and their bytes by their hashes. */
export interface Received<T> {
  readonly value: T;
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** Takes the files out of a JSON value, wherever they stand in it. Throws a 400 problem that names the place of one that cannot be kept. */
export function receiveValue(value: Json, field: string): Received<Json> {
  const taken = nothingTaken();
  return { value: received(value, field, taken), files: taken.files };
}

/** The same for a list of files. */
export function receiveFiles(list: readonly SentFile[], field: string): Received<FileRef[]> {
  const taken = nothingTaken();
  return { value: list.map((file, i) => kept(file, `${field}.${i}`, taken)), files: taken.files };
}

/** What was taken out of a value so far. */
interface Taken {
  readonly files: Map<string, Uint8Array>;
  /** Characters of text that may still stand beside the hashes of files. */
  room: number;
}

const nothingTaken = (): Taken => ({ files: new Map(), room: MOST_FILE_TEXTS });

function received(value: Json, field: string, taken: Taken): Json {
  if (value === null || typeof value !== 'object') return value;
  const keys = Object.keys(value);
  if (Array.isArray(value)) return value.map((each, i) => received(each, `${field}.${i}`, taken));
  if (keys.length === 1 && keys[0] === FILE_KEY) return fileJson(kept(value[FILE_KEY], `${field}.${FILE_KEY}`, taken));
  return Object.fromEntries(keys.map((key) => [key, received(value[key] as Json, `${field}.${key}`, taken)]));
}

/** Hash and size are taken from the bytes, and are refused where they are said and differ. */
function kept(sent: unknown, field: string, taken: Taken): FileRef {
  const parsed = sentFile.safeParse(sent);
  const issue = parsed.error?.issues[0];
  if (!parsed.success) throw invalid([field, ...(issue?.path ?? [])].join('.'), issue?.message ?? 'it is no file');
  const { data, sha256: saidHash, bytes: saidBytes, mediaType, name } = parsed.data;
  const bytes = Buffer.from(data, 'base64');
  if (bytes.toString('base64') !== data) throw invalid(`${field}.data`, 'it must be base64, with its padding');
  const of = { bytes, mediaType, ...(name === undefined ? {} : { name }) };
  const fault = fileFault(of) ?? (taken.files.size >= MAX_FILES ? `at most ${MAX_FILES} files are taken at once` : undefined);
  if (fault) throw invalid(field, fault);
  const hash = sha256(bytes);
  if (saidHash !== undefined && saidHash.toLowerCase() !== hash) throw invalid(`${field}.sha256`, `its bytes have the hash ${hash}`);
  if (saidBytes !== undefined && saidBytes !== bytes.length) throw invalid(`${field}.bytes`, `it has ${bytes.length} bytes`);
  taken.files.set(hash, bytes);
  const ref = refOf(of, hash, taken.room);
  taken.room -= keptCharacters(ref.text);
  return ref;
}

const invalid = (field: string, what: string) => new ProblemError(400, 'Invalid file', `${field}: ${what}`, field);
