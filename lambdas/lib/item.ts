import type { z } from 'zod';
import { UnreadableItemError } from '../../shared/errors.ts';
import { SCHEMA_VERSION } from '../../shared/record.ts';
import { unpack } from './body.ts';
import type { Item } from './dynamo.ts';
import { logError } from './invocation.ts';

/** Reads a stored item with its schema. Throws UnreadableItemError that says which item and what is wrong with it. */
export function readItem<S extends z.ZodType>(schema: S, item: Item): z.infer<S> {
  const name = `"${item.pk} ${item.sk}"`;
  if (typeof item.v !== 'number') throw new UnreadableItemError(`Cannot read item ${name}: it has no schema version`);
  if (item.v > SCHEMA_VERSION) {
    throw new UnreadableItemError(
      `Cannot read item ${name}: its schema version ${item.v} is newer than ${SCHEMA_VERSION}, the newest this code knows; deploy the newer code`,
    );
  }
  const parsed = schema.safeParse(unpacked(item, name));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new UnreadableItemError(`Cannot read item ${name}: ${issue?.path.join('.') || 'the whole'}: ${issue?.message}`);
}

/** Merges the packed part of an item with its plain attributes. */
function unpacked({ body, ...plain }: Item, name: string): Item {
  if (!(body instanceof Uint8Array)) return plain;
  try {
    return { ...(unpack(body) as Item), ...plain };
  } catch (cause) {
    throw new UnreadableItemError(`Cannot read item ${name}: its body is damaged`, { cause });
  }
}

/** Reads for a list: an item that cannot be read is left out and logged, so that it does not hide all others. */
export async function readable<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof UnreadableItemError)) throw error;
    logError(error);
    return undefined;
  }
}
