import type { FileText } from './file-text.ts';
import { plainLength } from './tokens.ts';

/** The least that a clipped text may have, characters: below it there is no room for the note. */
export const MIN_CLIPPED = 80;

/**
 * Returns a text of at most `max` characters: the text itself when it fits, else its beginning, a note with its true size,
 * and its end. `howToRead` says how to get at the rest, given where the gap begins. The same text always gives the same.
 */
export const clipText = (text: string, max: number, howToRead?: (from: number) => string): string =>
  clipExcerpt({ characters: text.length, head: text }, max, howToRead);

/** The same for a text of which only the beginning and the end are at hand. */
export function clipExcerpt({ characters, head, tail = head }: FileText, max: number, howToRead?: (from: number) => string): string {
  const isWhole = head.length === characters;
  const limit = Math.max(isWhole ? max : Math.min(max, head.length + tail.length), MIN_CLIPPED);
  if (isWhole && characters <= limit) return head;
  const note = noteFor(characters, limit, howToRead);
  // With the largest numbers that the note can name, so that it is never longer than this.
  const first = Math.ceil((limit - note(characters, characters).length) * HEAD_SHARE);
  const last = limit - first - note(characters, first).length;
  return `${head.slice(0, first)}${note(characters - first - last, first)}${tail.slice(tail.length - last)}`.toWellFormed();
}

/**
 * The same, and of no more tokens than `most` characters of plain text have: of a dense text fewer characters are kept. The text has
 * at most `max` characters, where that is less.
 */
export function clipTokens(text: string | FileText, most: number, howToRead?: (from: number) => string, max = most): string {
  const excerpt = typeof text === 'string' ? { characters: text.length, head: text } : text;
  for (let limit = max; ; ) {
    const shown = clipExcerpt(excerpt, limit, howToRead);
    const length = most === Number.POSITIVE_INFINITY ? 0 : plainLength(shown);
    if (length <= most || limit <= MIN_CLIPPED) return shown;
    limit = Math.max(MIN_CLIPPED, Math.floor((Math.min(limit, shown.length) * most) / length));
  }
}

/** Ends tell more often how it went, beginnings what it is: a little more of these. */
const HEAD_SHARE = 0.6;

function noteFor(length: number, limit: number, howToRead: ((from: number) => string) | undefined) {
  const long = (left: number, from: number) => `\n[… ${left} of ${length} characters left out; ${howToRead?.(from)} …]\n`;
  const short = (left: number) => `\n[… ${left} of ${length} characters left out …]\n`;
  return howToRead && long(length, length).length * 2 <= limit ? long : short;
}
