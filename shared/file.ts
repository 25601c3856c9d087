import * as z from 'zod';
import { fileText, fileTextOf } from './file-text.ts';
import type { Json } from './json.ts';
import { isPictureType, pictureOf } from './picture.ts';

/** What of a file stands in records: its bytes lie in the blob store of the run, under their hash. */
export const fileRef = z.object({
  /** SHA-256 of the bytes, hex. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().positive(),
  mediaType: z.string(),
  name: z.string().optional(),
  /** Of a picture, pixels. */
  width: z.int().positive().optional(),
  height: z.int().positive().optional(),
  /** Of a file that holds text, as much as models are shown of it. */
  text: fileText.optional(),
});
export type FileRef = z.infer<typeof fileRef>;

/** A file as a tool returns it. */
export interface ToolFile {
  readonly [FILE]: true;
  readonly bytes: Uint8Array;
  readonly mediaType: string;
  readonly name?: string;
}
const FILE: unique symbol = Symbol.for('holdfast.file') as never;

/** A file for the output of a tool, at any place in it: its bytes are kept, and the model is shown it if it can be. */
export const file = (of: { readonly bytes: Uint8Array; readonly mediaType: string; readonly name?: string }): ToolFile => ({
  ...of,
  [FILE]: true,
});

/** Whether a value is a file of a tool. By symbol: an agent's bundle may hold a second copy of this file. */
export const isFile = (value: unknown): value is ToolFile => typeof value === 'object' && value !== null && FILE in value;

/** The largest file, bytes. */
export const MAX_FILE_BYTES = 25_000_000;
/** The most files of one output, message or input. */
export const MAX_FILES = 100;
const MAX_NAME = 200;

/** A media type as it is kept: without parameters, in lower case, and JPEG by its one right name. */
export const mediaTypeOf = (said: string): string => {
  const type = (said.split(';')[0] ?? '').trim().toLowerCase();
  return type === 'image/jpg' ? 'image/jpeg' : type;
};

/** Says why a file cannot be kept, or returns undefined. A picture that is none would be refused by every model, for good. */
export function fileFault({ bytes, mediaType, name }: Pick<ToolFile, 'bytes' | 'mediaType' | 'name'>): string | undefined {
  if (!(bytes instanceof Uint8Array)) return 'its bytes must be a Uint8Array';
  if (bytes.length === 0) return 'it is empty';
  if (bytes.length > MAX_FILE_BYTES) return `it has ${bytes.length} bytes, and at most ${MAX_FILE_BYTES} can be kept`;
  if (typeof mediaType !== 'string' || !MEDIA_TYPE.test(mediaTypeOf(mediaType)))
    return 'its media type must be one such as "image/png" or "application/pdf"';
  if (name !== undefined && !isName(name)) return `its name must have 1 to ${MAX_NAME} characters, and no slash or control character`;
  const type = mediaTypeOf(mediaType);
  return isPictureType(type) && pictureOf(bytes)?.mediaType !== type ? `it says to be ${type}, and its bytes are none` : undefined;
}

const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,80}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,80}$/;

const isName = (name: unknown): boolean =>
  typeof name === 'string' && name.trim() !== '' && name.length <= MAX_NAME && name.isWellFormed() && !/[\p{Cc}/\\]/u.test(name);

/** What stands in the record for a file without fault, with at most `room` characters of the text in it. */
export function refOf(of: Pick<ToolFile, 'bytes' | 'mediaType' | 'name'>, sha256: string, room?: number): FileRef {
  const { bytes, name } = of;
  const mediaType = mediaTypeOf(of.mediaType);
  const { width, height } = (isPictureType(mediaType) && pictureOf(bytes)) || {};
  const text = fileTextOf(bytes, mediaType, room);
  return {
    sha256,
    bytes: bytes.length,
    mediaType,
    ...(name === undefined ? {} : { name }),
    ...(width === undefined || height === undefined ? {} : { width, height }),
    ...(text === undefined ? {} : { text }),
  };
}

/** Reads what stands for a file in a kept value: an object of that one key. */
export function asFile(value: Json): FileRef | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
  const keys = Object.keys(value);
  return keys.length === 1 && keys[0] === FILE_KEY ? fileRef.safeParse(value[FILE_KEY]).data : undefined;
}

/** What stands in a kept value for a file. */
export const fileJson = (file: FileRef): Json => ({ [FILE_KEY]: file as unknown as Json });

/** The key by which a file is known in JSON. */
export const FILE_KEY = '$file';

/** Lists the files in a kept value, in the order of its text. */
export function filesIn(value: Json): FileRef[] {
  if (value === null || typeof value !== 'object') return [];
  const file = asFile(value);
  return file ? [file] : Object.values(value).flatMap(filesIn);
}

/** Puts texts in the place of files; a value without files is returned itself. */
export function withoutFiles(value: Json, textOf: (file: FileRef) => string): Json {
  if (value === null || typeof value !== 'object') return value;
  const file = asFile(value);
  if (file) return textOf(file);
  if (filesIn(value).length === 0) return value;
  if (Array.isArray(value)) return value.map((each) => withoutFiles(each, textOf));
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutFiles(each, textOf)]));
}

/** A file in words: its name, type and size. */
export const fileWords = ({ name, mediaType, bytes, width, height }: FileRef): string =>
  [name, mediaType, ...(width ? [`${width} x ${height} pixels`] : []), `${bytes} bytes`].filter((word) => word !== undefined).join(', ');
