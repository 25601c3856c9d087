/** HTML as the strictest reader sees it: tags with quoted attributes, and text without angle brackets. */

const TAG = /<(\/?[a-z][a-z0-9]*)((?: [a-z][a-z-]*(?:="[^"<>]*")?)*)>/g;
const VALUED = /(srcdoc|href|value|action)="[^"]*"/g;

export interface Shape {
  /** Every tag with its attributes, in order. The values that data may fill are left out. */
  readonly tags: readonly string[];
  readonly text: string;
}

/** Reads a page. Throws when anything in it is not a well-formed tag or plain text. */
export function shapeOf(page: string): Shape {
  const body = page.replace(/^<!doctype html>/, '').replace(/<style>[^<]*<\/style>/, '<style></style>');
  const text = body.replace(TAG, ' ');
  const odd = text.search(/[<>]/);
  if (odd >= 0)
    throw new Error(`Cannot read the page: there is an odd bracket in ${JSON.stringify(text.slice(Math.max(0, odd - 60), odd + 60))}`);
  return { tags: [...body.matchAll(TAG)].map(([tag]) => tag.replace(VALUED, '$1')), text };
}

/** Returns a harmless text that takes the same room. */
export const harmless = (shown: string): string => shown.replace(/[^\n\t ]/g, 'a');
