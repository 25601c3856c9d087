import * as z from 'zod';
import { isPictureType } from './picture.ts';

/** What of the text in a file stands beside its hash: all of a short one, the beginning and the end of a longer one. */
export const fileText = z.object({
  /** Of all of it. */
  characters: z.int().nonnegative(),
  head: z.string(),
  /** Absent when `head` is all. */
  tail: z.string().optional(),
});
export type FileText = z.infer<typeof fileText>;

/** The most of one file's text that stands beside its hash, and that the model is shown of it, characters. */
export const MOST_FILE_TEXT = 20_000;
/** The most of it for all files of one value together, characters. */
export const MOST_FILE_TEXTS = 200_000;
/** Less than this is not worth the room that its note takes, characters. */
const LEAST_FILE_TEXT = 200;
/** Beginnings tell what a file is: more of these, by the share of a clipped text. */
const HEAD_SHARE = 0.6;

/** What is kept of the text in a file beside its hash, `room` characters at most; undefined for a file that holds no text. */
export function fileTextOf(bytes: Uint8Array, mediaType: string, room = MOST_FILE_TEXTS): FileText | undefined {
  const text = textIn(bytes, mediaType);
  if (text === undefined) return undefined;
  const most = Math.min(room, MOST_FILE_TEXT);
  if (text.length <= most) return { characters: text.length, head: text };
  if (most < LEAST_FILE_TEXT) return undefined;
  const head = Math.ceil(most * HEAD_SHARE);
  return { characters: text.length, head: text.slice(0, head), tail: text.slice(text.length - (most - head)) };
}

/** Characters of a file's text that stand beside its hash; none of a file that holds no text. */
export const keptCharacters = ({ head = '', tail = '' }: Partial<FileText> = {}): number => head.length + tail.length;

/**
 * Reads the text in a file: UTF-8 without a byte order mark. By its type it may be text with control characters; of another
 * type, or of none that is known, it is text when it has none. Undefined for all else, and for what models are shown as it is.
 */
export function textIn(bytes: Uint8Array, mediaType: string): string | undefined {
  if (isPictureType(mediaType) || NEVER_TEXT.test(mediaType)) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return (isTextType(mediaType) ? /\0/ : CONTROL).test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Tells whether a media type says that a file is text. */
export const isTextType = (mediaType: string): boolean => TEXT_TYPE.test(mediaType);

const NEVER_TEXT = /^(?:application\/pdf$|audio\/|video\/|font\/)/;
const TEXT_TYPE = /^text\/|[/+](?:x-)?(?:json|ndjson|jsonl|xml|yaml|toml|csv|javascript|typescript|sql|graphql|sh)$/;
const CONTROL = /(?![\t\n\r\f])[\p{Cc}]/u;
