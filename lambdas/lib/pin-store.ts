import * as z from 'zod';
import type { Agent } from '../../shared/agent.ts';
import { type Pinned, pinned, pinnedOf } from '../../shared/pinned.ts';
import { SCHEMA_VERSION } from '../../shared/record.ts';
import { pinKey, runKey } from '../../shared/tables.ts';
import { keepBody } from './body.ts';
import { ABSENT, get, putIf } from './dynamo.ts';
import { readItem } from './item.ts';
import { codePinOf } from './pin.ts';

const item = pinned.extend({ v: z.literal(SCHEMA_VERSION) });

/** Keeps what a run is pinned to in full, once. */
export async function keepPinned(runId: string, agent: Agent): Promise<void> {
  const pk = runKey(runId);
  await putIf({ pk, sk: pinKey(codePinOf(agent).hash), v: SCHEMA_VERSION, ...(await keepBody(pk, pinnedOf(agent))) }, ABSENT);
}

/** Reads what a run is pinned to, by the hash of the pin; undefined for runs of older code. */
export async function readPinned(runId: string, hash: string | undefined): Promise<Pinned | undefined> {
  const found = hash === undefined ? undefined : await get({ pk: runKey(runId), sk: pinKey(hash) });
  if (!found) return undefined;
  const { v: _, ...kept } = await readItem(item, found);
  return kept;
}
