/** Text of models, tools and people may hold anything: what is shown of it can neither hide nor reorder what stands beside it. */

// Kept as they are: the marks that only join or colour emoji. Shown by their numbers: every other control, invisible or
// reordering character, halves of surrogate pairs, and marks that pile up on five others: they would be painted over what stands above.
const UNSEEN =
  /(?<=\p{Extended_Pictographic})\uFE0F|(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F)\u200D(?=\p{Extended_Pictographic})|(?![\n\t])([\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?<=\p{M}{5})\p{M})/gu;

const numbered = (character: string): string => `⟨U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}⟩`;

/** Returns the text with unseen characters written as `⟨U+202E⟩`; line breaks and tabs stay. */
export const visible = (text: string): string =>
  text.replaceAll('\r\n', '\n').replace(UNSEEN, (kept, unseen?: string) => (unseen ? numbered(unseen) : kept));

/** How much of a text is shown. */
export interface Room {
  readonly characters: number;
  readonly lines: number;
}

/** What fits, and how many characters of how many that is when it is not all. */
export interface Excerpt {
  readonly text: string;
  readonly cut?: { readonly shown: number; readonly of: number };
}

/** Cuts a text, as `visible` shows it, to its room. */
export function excerpt(text: string, room: Room): Excerpt {
  const all = visible(text);
  const lines = all.slice(0, room.characters + 1).split('\n', room.lines);
  const kept = start(lines.join('\n'), room.characters);
  return kept.length === all.length ? { text: kept } : { text: kept, cut: { shown: kept.length, of: all.length } };
}

/** The first characters of a text, without the half of a pair or of a written-out number at its end. */
const start = (text: string, limit: number): string =>
  text.length <= limit
    ? text
    : text
        .slice(0, limit)
        .replace(/[\uD800-\uDBFF]$/, '')
        .replace(/⟨[U+0-9A-F]*$/, '');

/** Returns at most `limit` characters of a text on one line. */
export function oneLine(text: string, limit: number): string {
  const line = visible(text.slice(0, limit * 4))
    .replace(/\s+/g, ' ')
    .trim();
  const whole = line.length <= limit && text.length <= limit * 4;
  return whole ? line : `${start(line, limit - 1).trimEnd()}…`;
}

/** Writes the addresses in a text so that no mail program makes links of them: `https[:]//evil[.]test`. */
export const unlinked = (text: string): string =>
  text.replaceAll('://', '[:]//').replace(/(?<=[\p{L}\p{N}_-])[.．。｡](?=\p{L}{2})/gu, '[.]');

/** Returns a whole number with its thousands set apart. */
export const grouped = (count: number): string => count.toLocaleString('en-US');
