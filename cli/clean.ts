import { stripVTControlCharacters } from 'node:util';
import { asFile, fileWords } from '../shared/file.ts';
import type { Json } from '../shared/json.ts';

/** Text of models, tools and people may hold anything: what reaches the screen is plain, short and free of secrets. */

// Control characters but for newline, invisible marks that reorder or hide text, and line separators: a terminal must never
// obey a model.
const UNSAFE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const SECRET_KEY = /secret|passw|passphrase|credential|authorization|cookie|api[-_ ]?key|access[-_ ]?key|private[-_ ]?key|tokens?$/i;

const MASK = '[hidden]';
/** Deeper values are shown as an ellipsis: a screen is no place for them, and recursion has an end. */
const MAX_DEPTH = 12;
/** Entries of one object or list that are looked at; how many are left out is said. */
const MAX_ENTRIES = 1_000;

/** Returns the text without escape sequences, control characters and invisible marks; newlines stay. */
export const cleanText = (text: string): string =>
  stripVTControlCharacters(text.replace(/\r\n?/g, '\n').replaceAll('\t', ' ')).replace(UNSAFE, '');

/** Returns at most `limit` characters of clean text, and says how many are left out. */
export function clipped(text: string, limit: number): string {
  // A blob is cut before it is cleaned: escapes are rarely more than three quarters of a text.
  const characters = Array.from(cleanText(text.slice(0, limit * 4)));
  const left = Math.max(0, text.length - limit * 4) + Math.max(0, characters.length - limit);
  return left > 0 ? `${characters.slice(0, limit).join('')}… (${left} more)` : characters.join('');
}

/** Returns at most `limit` characters of clean text on one line. */
export const oneLine = (text: string, limit: number): string =>
  clipped(text, limit)
    .replace(/\s*\n\s*/g, ' ⏎ ')
    .trim();

/** Returns at most `limit` characters of a JSON value on one line, with the values of secret-looking keys hidden. */
export const briefly = (value: Json, limit: number): string =>
  oneLine(typeof value === 'string' ? value : JSON.stringify(masked(value, limit, 0)), limit);

/** JSON for programs: the data unchanged, with whatever a terminal might obey written as an escape. */
export const safeJson = (value: unknown, indent?: number): string => escapedJson(JSON.stringify(value, null, indent));

/** The same for JSON text that is there already. */
export const escapedJson = (text: string): string => text.replace(UNSAFE, escaped);

const escaped = (character: string): string =>
  Array.from({ length: character.length }, (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`).join('');

function masked(value: Json, limit: number, depth: number): Json {
  if (typeof value === 'string') return cleanText(value.slice(0, limit * 4));
  if (value === null || typeof value !== 'object') return value;
  if (depth >= MAX_DEPTH) return '…';
  const file = asFile(value);
  if (file) return cleanText(`[file ${fileWords(file)}]`);
  const show = (item: Json) => masked(item, limit, depth + 1);
  if (Array.isArray(value)) return [...value.slice(0, MAX_ENTRIES).map(show), ...leftOut(value.length)];
  const entries = Object.entries(value);
  const shown = entries.slice(0, MAX_ENTRIES).map(([key, item]) => [cleanText(key.slice(0, 200)), isSecret(key, item) ? MASK : show(item)]);
  return Object.fromEntries([...shown, ...leftOut(entries.length).map((text) => ['…', text])]);
}

const leftOut = (entries: number): string[] => (entries > MAX_ENTRIES ? [`… (${entries - MAX_ENTRIES} more)`] : []);

/** A number of tokens is no secret, and neither is an empty value. */
const isSecret = (key: string, value: Json): boolean =>
  SECRET_KEY.test(key) && value !== null && value !== '' && typeof value !== 'boolean' && !isCount(key, value);

const isCount = (key: string, value: Json): boolean => typeof value === 'number' && /tokens?$/i.test(key);
