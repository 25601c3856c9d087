import { z } from 'zod';
import { SCHEMA_VERSION } from '../../shared/record.ts';
import { noticeKey, noticePrefix, runKey } from '../../shared/tables.ts';
import { ABSENT, between, get, putIf, updateIf } from './dynamo.ts';
import { readItem } from './item.ts';

/** What is known of one recipient's notice of an ask. Of its link only a hash is kept. */
const notice = z.object({
  v: z.literal(SCHEMA_VERSION),
  recipient: z.string(),
  hash: z.string(),
  /** When the link stops working, ms since the epoch. */
  expiresAt: z.number(),
  tries: z.int().nonnegative(),
  sentAt: z.number().optional(),
  /** Why the last try failed. */
  error: z.string().optional(),
  /** No try before this, ms since the epoch. */
  nextTryAt: z.number(),
});
export type Notice = z.infer<typeof notice>;

const keyOf = (runId: string, seq: number, place: number) => ({ pk: runKey(runId), sk: noticeKey(seq, place) });

/** Reads one recipient's notice. */
export async function readNotice(runId: string, seq: number, place: number): Promise<Notice | undefined> {
  const item = await get(keyOf(runId, seq, place));
  return item && readItem(notice, item);
}

/** Reads the notices of an ask, in the order of its recipients. */
export async function readNotices(runId: string, seq: number): Promise<Notice[]> {
  const items = await between(runKey(runId), noticePrefix(seq), `${noticePrefix(seq)}~`);
  return items.map((item) => readItem(notice, item));
}

/** Keeps a notice before it is sent; one that is there already stays. */
export const createNotice = (
  runId: string,
  seq: number,
  place: number,
  made: Pick<Notice, 'recipient' | 'hash' | 'expiresAt'>,
): Promise<boolean> => putIf({ ...keyOf(runId, seq, place), v: SCHEMA_VERSION, ...made, tries: 0, nextTryAt: 0 }, ABSENT);

/** Notes how a try to send ended. */
export async function noteTry(
  runId: string,
  seq: number,
  place: number,
  outcome: { sentAt: number } | { error: string; nextTryAt: number },
): Promise<void> {
  const change =
    'sentAt' in outcome
      ? 'SET #sentAt = :sentAt ADD #tries :one REMOVE #error'
      : 'SET #error = :error, #nextTryAt = :nextTryAt ADD #tries :one';
  const names = 'sentAt' in outcome ? { '#sentAt': 'sentAt', '#error': 'error' } : { '#error': 'error', '#nextTryAt': 'nextTryAt' };
  const values = Object.fromEntries(Object.entries(outcome).map(([name, value]) => [`:${name}`, value]));
  await updateIf(keyOf(runId, seq, place), change, {
    expression: 'attribute_exists(pk)',
    names: { ...names, '#tries': 'tries' },
    values: { ...values, ':one': 1 },
  });
}
