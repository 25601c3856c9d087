import * as z from 'zod';
import type { Agent } from '../../shared/agent.ts';
import { type Pinned, pinned, pinnedOf } from '../../shared/pinned.ts';
import { SCHEMA_VERSION } from '../../shared/record.ts';
import { PIN_PREFIX, pinKey, runKey } from '../../shared/tables.ts';
import { keepBody } from './body.ts';
import { ABSENT, between, get, putIf } from './dynamo.ts';
import { readItem, readItems } from './item.ts';
import { codePinOf } from './pin.ts';

const item = pinned.extend({ v: z.literal(SCHEMA_VERSION) });

/** Keeps what a run is pinned to in full, once. */
export const keepPinned = (runId: string, agent: Agent): Promise<void> => putPinned(runId, codePinOf(agent).hash, pinnedOf(agent));

/** Keeps what stands for the hash of a pin; what is there stays. */
export async function putPinned(runId: string, hash: string, content: Pinned): Promise<void> {
  const pk = runKey(runId);
  await putIf({ pk, sk: pinKey(hash), v: SCHEMA_VERSION, ...(await keepBody(pk, content)) }, ABSENT);
}

/** Reads all that a run is or was pinned to, by the hash of the pin. */
export async function readAllPinned(runId: string): Promise<{ readonly hash: string; readonly pinned: Pinned }[]> {
  const items = await between(runKey(runId), PIN_PREFIX, `${PIN_PREFIX}~`);
  const kept = await readItems(item, items);
  return kept.map(({ v: _, ...content }, i) => ({ hash: String(items[i]?.sk).slice(PIN_PREFIX.length), pinned: content }));
}

/** Reads what a run is pinned to, by the hash of the pin; undefined for runs of older code. */
export async function readPinned(runId: string, hash: string | undefined): Promise<Pinned | undefined> {
  const found = hash === undefined ? undefined : await get({ pk: runKey(runId), sk: pinKey(hash) });
  if (!found) return undefined;
  const { v: _, ...kept } = await readItem(item, found);
  return kept;
}
