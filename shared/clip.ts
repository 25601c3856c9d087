/** The least that a clipped text may have, characters: below it there is no room for the note. */
export const MIN_CLIPPED = 80;

/**
 * Returns a text of at most `max` characters: the text itself when it fits, else its beginning, a note with its true size,
 * and its end. `howToRead` says how to get at the rest, given where the gap begins. The same text always gives the same.
 */
export function clipText(text: string, max: number, howToRead?: (from: number) => string): string {
  const limit = Math.max(max, MIN_CLIPPED);
  if (text.length <= limit) return text;
  const note = noteFor(text.length, limit, howToRead);
  // With the largest numbers that the note can name, so that it is never longer than this.
  const head = Math.ceil((limit - note(text.length, text.length).length) * HEAD_SHARE);
  const tail = limit - head - note(text.length, head).length;
  return `${text.slice(0, head)}${note(text.length - head - tail, head)}${text.slice(text.length - tail)}`.toWellFormed();
}

/** Ends tell more often how it went, beginnings what it is: a little more of these. */
const HEAD_SHARE = 0.6;

function noteFor(length: number, limit: number, howToRead: ((from: number) => string) | undefined) {
  const long = (left: number, from: number) => `\n[… ${left} of ${length} characters left out; ${howToRead?.(from)} …]\n`;
  const short = (left: number) => `\n[… ${left} of ${length} characters left out …]\n`;
  return howToRead && long(length, length).length * 2 <= limit ? long : short;
}
