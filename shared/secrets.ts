import * as z from 'zod';
import type { Json } from './json.ts';

/** What stands in the place of a secret wherever it is kept, shown or told. */
export const MASK = '[secret]';

/** A place in a value, as a JSON pointer (RFC 6901): `/account/token`; the empty text is the whole. */
export type Place = string;

/** Values by their places. */
export type Secrets = Readonly<Record<Place, Json>>;

const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');
const keysOf = (place: Place): string[] =>
  place
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));

/** Lists the places in a value that marks name: `account.token`, with `*` for every element of a list or object. */
export const placesOf = (marks: readonly string[], value: Json): Place[] => [
  ...new Set(marks.flatMap((mark) => placesIn(mark === '' ? [] : mark.split('.'), value, ''))),
];

function placesIn([key, ...rest]: readonly string[], value: Json, at: Place): Place[] {
  if (key === undefined) return [at];
  if (value === null || typeof value !== 'object') return [];
  const keys = key === '*' ? Object.keys(value) : Object.hasOwn(value, key) ? [key] : [];
  return keys.flatMap((each) => placesIn(rest, (value as { [key: string]: Json })[each] as Json, `${at}/${escaped(each)}`));
}

/** Lists the places of everything in a value that is no list and no object. */
export function leavesOf(value: Json, at: Place = ''): Place[] {
  if (value === null || typeof value !== 'object') return [at];
  return Object.entries(value).flatMap(([key, each]) => leavesOf(each, `${at}/${escaped(key)}`));
}

/** Returns what stands at a place; undefined where nothing does. */
export const valueAt = (value: Json, place: Place): Json | undefined =>
  keysOf(place).reduce<Json | undefined>(
    (inner, key) =>
      inner !== null && typeof inner === 'object' && Object.hasOwn(inner, key) ? (inner as { [key: string]: Json })[key] : undefined,
    value,
  );

/** Takes the values at some places out of a value: masks stand there. */
export function taken(value: Json, places: readonly Place[]): { readonly masked: Json; readonly secrets: Secrets } {
  const secrets = Object.fromEntries(places.flatMap((place) => [[place, valueAt(value, place) as Json]]));
  return { masked: places.reduce((rest, place) => withValue(rest, keysOf(place), MASK), value), secrets };
}

/** Puts values back where masks stand; anything else that stands there stays. */
export const restored = (masked: Json, secrets: Secrets): Json =>
  Object.entries(secrets).reduce(
    (rest, [place, secret]) => (valueAt(rest, place) === MASK ? withValue(rest, keysOf(place), secret) : rest),
    masked,
  );

function withValue(value: Json, [key, ...rest]: readonly string[], put: Json): Json {
  if (key === undefined) return put;
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((each, i) => (String(i) === key ? withValue(each, rest, put) : each));
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, name === key ? withValue(each, rest, put) : each]));
}

/** Shorter texts are not looked for: they stand in too many others by chance, characters. */
const MIN_TEXT = 3;

/** Lists the texts by which secret values would show in other texts, longest first. */
export function textsOf(values: readonly Json[]): string[] {
  const texts = values.flatMap((value) => leavesOf(value).map((place) => valueAt(value, place)));
  const long = texts.filter((text) => typeof text === 'string' || typeof text === 'number').map(String);
  const forms = long.filter((text) => text.length >= MIN_TEXT && text !== MASK).flatMap(formsOf);
  return [...new Set(forms)].sort((a, b) => b.length - a.length);
}

/** A text as it stands in prose, in JSON, in JSON within JSON, in an address, and in base64 or hex of something that holds it. */
const formsOf = (text: string): string[] => {
  const bytes = new TextEncoder().encode(text);
  return [...escapedForms(text), encodeURIComponent(text.toWellFormed()), ...base64Forms(bytes), ...hexForms(bytes)];
};

/** JSON that is put into JSON as a text is escaped once more: so many times is looked for. */
const DEPTH = 3;

function escapedForms(text: string): string[] {
  const forms = [text];
  for (let depth = 0; depth < DEPTH; depth++) forms.push(JSON.stringify(forms.at(-1)).slice(1, -1));
  return forms;
}

/** Shorter ones stand in other texts by chance, characters. */
const MIN_ENCODED = 8;

/** What of a base64 text is the same wherever in the encoded bytes these stand: three places of the first are different, in both alphabets. */
function base64Forms(bytes: Uint8Array): string[] {
  const at = [0, 1, 2].map((before) => {
    const whole = btoa(Array.from([...new Uint8Array(before), ...bytes], (byte) => String.fromCharCode(byte)).join(''));
    return whole.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
  const forms = at.filter(({ length }) => length >= MIN_ENCODED);
  return [...forms, ...forms.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))];
}

function hexForms(bytes: Uint8Array): string[] {
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.length >= MIN_ENCODED ? [hex, hex.toUpperCase()] : [];
}

/** Masks every occurrence of some texts in a text. */
export const withoutTexts = (text: string, texts: readonly string[]): string =>
  texts.reduce((rest, secret) => rest.replaceAll(secret, MASK), text);

/** Masks every occurrence of some texts in a value: in its texts, its numbers and its keys. */
export function without(value: Json, texts: readonly string[]): Json {
  if (texts.length === 0) return value;
  if (typeof value === 'string') return withoutTexts(value, texts);
  if (typeof value === 'number') return texts.includes(String(value)) ? MASK : value;
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((each) => without(each, texts));
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [withoutTexts(key, texts), without(each, texts)]));
}

/** Tells whether a value holds a mask somewhere at these places: a model that was shown one gives it back. */
export const holdsMask = (value: Json, places: readonly Place[]): boolean =>
  places.some((place) => textsAt(valueAt(value, place) ?? null).some((text) => text.includes(MASK)));

const textsAt = (value: Json): string[] =>
  leavesOf(value).flatMap((place) => {
    const leaf = valueAt(value, place);
    return typeof leaf === 'string' ? [leaf] : [];
  });

/** Says what is wrong with the marks of a tool's input, or returns undefined. */
export function marksFault(marks: unknown, input: z.ZodObject): string | undefined {
  if (!isMarks(marks)) return 'secrets must be a list of paths into its input, such as "account.token"';
  const schema = z.toJSONSchema(input, { io: 'input' }) as unknown as Schema;
  const stray = marks.find((mark) => !knows(schema, schema, mark.split('.')));
  return stray === undefined ? undefined : `secrets names "${stray}", which its input does not have`;
}

/** Says what is wrong with the marks of a tool's output, or returns undefined. */
export const outputMarksFault = (marks: unknown): string | undefined =>
  marks === true || isMarks(marks) ? undefined : 'secretOutput must be true, or a list of paths into its output, such as "account.token"';

const isMarks = (marks: unknown): marks is string[] =>
  Array.isArray(marks) && marks.length > 0 && marks.every((mark) => typeof mark === 'string' && mark.split('.').every((key) => key !== ''));

/** What of a JSON schema says which places its values have. */
interface Schema {
  readonly $ref?: string;
  readonly properties?: { readonly [key: string]: Schema };
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

/** Tells whether a JSON schema has a place for a path, in one of its branches. */
function knows(root: Schema, schema: Schema, path: readonly string[]): boolean {
  const [key, ...rest] = path;
  if (key === undefined) return true;
  const { $ref, properties = {}, items, additionalProperties, anyOf = [], oneOf = [], allOf = [] } = schema;
  const named = Object.hasOwn(properties, key) ? properties[key] : undefined;
  const each = key === '*' ? [items, additionalProperties] : [named];
  if (each.some((inner) => typeof inner === 'object' && knows(root, inner, rest))) return true;
  const whole = $ref === undefined ? undefined : (valueAt(root as unknown as Json, $ref.replace(/^#/, '')) as Schema | undefined);
  return [...anyOf, ...oneOf, ...allOf, ...(whole ? [whole] : [])].some((branch) => knows(root, branch, path));
}
