import { canonical, type Json } from '../shared/json.ts';
import { visible } from './plain-text.ts';

/** One argument as a reader sees it: a text as it is, anything else as JSON. */
export interface Argument {
  readonly key: string;
  readonly value: string;
}

/** Longer values, and those of several lines, come after the short ones. */
const SHORT = 40;
/** Deeper values are written without indentation, which would multiply their size. */
const MAX_INDENTED_DEPTH = 12;

const UNSAFE = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?<=\p{M}{5})\p{M}/gu;

/** Lists the arguments of a call, the short ones first: no long text can push an amount or an address out of sight. */
export function argumentsOf(input: Json | undefined): Argument[] {
  const all = entriesOf(input).map(([key, value]) => ({ key, value: shown(value) }));
  return [...all.filter(isShort), ...all.filter((each) => !isShort(each))];
}

function entriesOf(input: Json | undefined): (readonly [string, Json])[] {
  if (input === undefined || input === null) return [];
  return typeof input === 'object' && !Array.isArray(input) ? Object.entries(input) : [['(all)', input] as const];
}

const shown = (value: Json): string => (typeof value === 'string' ? value : exactJson(value));

/** One argument that a person changed. `was` is undefined where there was none, `is` where it was taken out. */
export interface Change {
  readonly key: string;
  readonly was: string | undefined;
  readonly is: string | undefined;
}

/** Lists what differs between two sets of arguments. A text that turned into JSON, or back, is shown as JSON. */
export function changesOf(before: Json | undefined, after: Json): Change[] {
  const [old, now] = [new Map(entriesOf(before)), new Map(entriesOf(after))];
  const keys = [...new Set([...old.keys(), ...now.keys()])];
  return keys.flatMap((key) => changeOf(key, old.get(key), now.get(key)) ?? []);
}

function changeOf(key: string, was: Json | undefined, is: Json | undefined): Change | undefined {
  if (was !== undefined && is !== undefined && canonical(was) === canonical(is)) return undefined;
  const both = was !== undefined && is !== undefined;
  const written = both && (typeof was === 'string') !== (typeof is === 'string') ? exactJson : shown;
  const text = (value: Json | undefined) => (value === undefined ? undefined : written(value));
  return { key, was: text(was), is: text(is) };
}

const isShort = ({ value }: Argument): boolean => value.length <= SHORT && visible(value).length <= SHORT && !/[\r\n]/.test(value);

/** Returns JSON that means exactly the value, with unseen characters written as escapes. */
export const exactJson = (value: Json): string =>
  JSON.stringify(value, null, nestsWithin(value, MAX_INDENTED_DEPTH) ? 2 : 0).replace(UNSAFE, asEscape);

const asEscape = (character: string): string =>
  Array.from({ length: character.length }, (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`).join('');

const nestsWithin = (value: Json, levels: number): boolean =>
  value === null || typeof value !== 'object' || (levels > 0 && Object.values(value).every((item) => nestsWithin(item, levels - 1)));
