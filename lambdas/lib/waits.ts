import * as z from 'zod';
import { SCHEMA_VERSION } from '../../shared/record.ts';
import { runKey, waitKey } from '../../shared/tables.ts';
import { get, putIf } from './dynamo.ts';
import { wake } from './executions.ts';
import { readItem } from './item.ts';

const wait = z.object({ v: z.literal(SCHEMA_VERSION), token: z.string(), segment: z.int(), at: z.number() });

/** Keeps the current task token of an ask's wait; it never leaves the server. Returns false when a newer segment waits. */
export const keepWait = (runId: string, seq: number, segment: number, token: string): Promise<boolean> =>
  putIf(
    { pk: runKey(runId), sk: waitKey(seq), v: SCHEMA_VERSION, token, segment, at: Date.now() },
    { expression: 'attribute_not_exists(pk) OR #segment <= :segment', names: { '#segment': 'segment' }, values: { ':segment': segment } },
  );

/** Wakes the execution that waits for an ask. Returns false when none ever has. */
export async function wakeAsk(runId: string, seq: number): Promise<boolean> {
  const item = await get({ pk: runKey(runId), sk: waitKey(seq) });
  if (item) await wake((await readItem(wait, item)).token);
  return item !== undefined;
}
