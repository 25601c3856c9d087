import type { z } from 'zod';
import { blobPointer } from '../../shared/blob.ts';
import { ErasedError, UnreadableItemError } from '../../shared/errors.ts';
import { SCHEMA_VERSION } from '../../shared/record.ts';
import { readStored, type StoredBody } from './body.ts';
import type { Item } from './dynamo.ts';
import { logError } from './invocation.ts';

/** Reads a stored item with its schema, and its body from wherever it is. Throws UnreadableItemError that says which item and what is wrong with it. */
export async function readItem<S extends z.ZodType>(schema: S, item: Item): Promise<z.infer<S>> {
  const name = `"${item.pk} ${item.sk}"`;
  if (item.erased === true) throw new ErasedError(`Cannot read item ${name}: its run was erased`);
  if (typeof item.v !== 'number') throw new UnreadableItemError(`Cannot read item ${name}: it has no schema version`);
  if (item.v > SCHEMA_VERSION) {
    throw new UnreadableItemError(
      `Cannot read item ${name}: its schema version ${item.v} is newer than ${SCHEMA_VERSION}, the newest this code knows; deploy the newer code`,
    );
  }
  const { pk: _, sk: __, ...stored } = await unpacked(item, name);
  const parsed = schema.safeParse(stored);
  if (parsed.success) return withUnknown(parsed.data, stored) as z.infer<S>;
  const issue = parsed.error.issues[0];
  throw new UnreadableItemError(`Cannot read item ${name}: ${issue?.path.join('.') || 'the whole'}: ${issue?.message}`);
}

/**
 * Adds to what a schema made of a value the fields that it does not know. Newer code may have written them, and whoever writes
 * the item again must not lose them.
 */
function withUnknown(known: unknown, stored: unknown): unknown {
  if (known === stored) return known;
  if (Array.isArray(known) && Array.isArray(stored)) for (const [i, each] of known.entries()) withUnknown(each, stored[i]);
  else if (isPlain(known) && isPlain(stored))
    for (const [name, value] of Object.entries(stored)) {
      if (Object.hasOwn(known, name)) withUnknown(known[name], value);
      else if (name !== '__proto__') known[name] = value;
    }
  return known;
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** How many items with large bodies are read at once. */
const AT_ONCE = 4;

/** Reads items as `readItem` does, in their order. */
export async function readItems<S extends z.ZodType>(schema: S, items: readonly Item[]): Promise<z.infer<S>[]> {
  const read: z.infer<S>[] = new Array(items.length);
  const places = items.keys();
  const lane = async () => {
    for (const place of places) read[place] = await readItem(schema, items[place] as Item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return read;
}

/** Merges the packed part of an item with its plain attributes. */
async function unpacked({ body, blob, ...plain }: Item, name: string): Promise<Item> {
  const stored = storedBody(body, blob, name);
  if (!stored) return plain;
  try {
    return { ...((await readStored(stored)) as Item), ...plain };
  } catch (cause) {
    if (!isDamage(cause)) throw cause;
    throw new UnreadableItemError(`Cannot read item ${name}: its body is damaged: ${(cause as Error).message}`, { cause });
  }
}

/** What cannot be unpacked is damaged; a blob store that cannot be reached says nothing about the item. */
const isDamage = (cause: unknown): boolean =>
  cause instanceof UnreadableItemError || cause instanceof SyntaxError || String((cause as { code?: unknown })?.code).startsWith('Z_');

function storedBody(body: unknown, blob: unknown, name: string): StoredBody | undefined {
  if (blob === undefined) return body instanceof Uint8Array ? { body } : undefined;
  const pointer = blobPointer.safeParse(blob);
  if (pointer.success) return { blob: pointer.data };
  throw new UnreadableItemError(`Cannot read item ${name}: the pointer to its body is damaged`);
}

/** Reads for a list: an item that cannot be read is left out and logged, so that it does not hide all others. */
export async function readable<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ErasedError) return undefined;
    if (!(error instanceof UnreadableItemError)) throw error;
    logError(error);
    return undefined;
  }
}
