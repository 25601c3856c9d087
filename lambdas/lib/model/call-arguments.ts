import { longNumberIn } from '../../../shared/exact-json.ts';
import { isShallow, type Json } from '../../../shared/json.ts';

/** A call's arguments: an object, or the text that is none. */
export type CallArguments = { readonly input: { readonly [key: string]: Json } } | { readonly rawInput: string };

/**
 * Reads the arguments of a call from the text that the model wrote. Models write nothing, blanks, `""` or `null` for a
 * tool without parameters: these count as `{}`. Any other text that is no JSON object, or one that nests too deep to be
 * handled, or with a number that would lose digits, is kept as it is, never repaired.
 */
export function callArguments(text: unknown): CallArguments {
  if (typeof text !== 'string' || !text.trim()) return { input: {} };
  const value = parse(text);
  if (value === null || (typeof value === 'string' && !value.trim())) return { input: {} };
  const fits = typeof value === 'object' && !Array.isArray(value) && isShallow(value) && longNumberIn(text) === undefined;
  return fits ? { input: value } : { rawInput: text };
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
