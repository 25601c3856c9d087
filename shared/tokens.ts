/**
 * Estimates the tokens of a text: four ASCII characters make one, and every other character is one by itself. For English,
 * code and JSON it is within about a third of what tokenizers count.
 */
export function tokensOf(text: string): number {
  const others = text.match(NOT_ASCII)?.length ?? 0;
  return Math.ceil((text.length - others) / ASCII_PER_TOKEN) + others;
}

/** ASCII characters of a token, in estimates. */
export const ASCII_PER_TOKEN = 4;
const NOT_ASCII = /[\u0080-\uffff]/g;
