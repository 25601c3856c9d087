const LETTERS = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_');

/** A text of letters that hardly packs, the same each time: six bits of chance in a character. */
export function largeText(characters: number): string {
  const bytes = Buffer.alloc(characters);
  for (let i = 0, state = 1; i < characters; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[i] = LETTERS[state >>> 26] as number;
  }
  return bytes.toString('latin1');
}
