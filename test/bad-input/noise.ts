/** Text that hardly packs, the same each time: `length` characters between two code points. */
export function noise(length: number, from = 0x20, to = 0x7ff): string {
  let state = 1;
  const next = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  };
  let text = '';
  for (let i = 0; i < length; i++) text += String.fromCharCode(from + Math.floor(next() * (to - from + 1)));
  return text;
}

/** JSON text of a list that nests so many levels. */
export const nested = (levels: number): string => `${'['.repeat(levels)}1${']'.repeat(levels)}`;
