import { FUNCTIONS } from '../../shared/functions.ts';
import type { Meta, Removed } from '../../shared/meta.ts';
import { META_KEY, runKey } from '../../shared/tables.ts';
import { type Condition, putIf, updateIf } from './dynamo.ts';
import { planRemoval } from './removals.ts';

/** No function that was at work when a run was erased is so after this, ms. */
export const LATE_MS = (Math.max(...Object.values(FUNCTIONS).map(({ timeoutSeconds }) => timeoutSeconds)) + 300) * 1000;

/** An erasure that was cut off is gone on with after this, ms: the request that began it is over by then. */
const AGAIN_MS = 60_000;

/** What is left of a run's META: whose it was, what it used, and when and by whom it was erased. */
function tombstoneOf(
  { runId, v, agent, pin, policy, createdAt, seenAt, segment, epoch, overThrough, totals, ...rest }: Meta,
  by: string,
  at: number,
): Meta {
  const { parent, children, startKey } = rest;
  return {
    v,
    runId,
    agent,
    status: 'erased',
    reason: `erased by ${by}`,
    pin: { model: pin.model, machine: pin.machine },
    policy,
    createdAt,
    seenAt,
    segment,
    epoch,
    overThrough,
    step: '',
    attempts: 0,
    recoveries: 0,
    waitUntil: 0,
    totals,
    ...(parent ? { parent } : {}),
    ...(children?.size ? { children } : {}),
    ...(startKey === undefined ? {} : { startKey }),
    erased: { at, by, removed: {} },
  };
}

const OVER: Condition = {
  expression:
    'attribute_not_exists(#erased) AND (#status IN (:completed, :failed, :cancelled, :imported) OR (#status = :interrupted AND attribute_exists(#cancel)))',
  names: { '#erased': 'erased', '#status': 'status', '#cancel': 'cancel' },
  values: {
    ':completed': 'completed',
    ':failed': 'failed',
    ':cancelled': 'cancelled',
    ':imported': 'imported',
    ':interrupted': 'interrupted',
  },
};

/**
 * Puts a tombstone in the place of a run's META, which fences all who come later; tells whether it did. Only a run that is over
 * is buried, or one that cannot be brought to its end although it was cancelled. With `removeAt` only while nobody has written to it.
 */
export async function bury(meta: Meta, by: string, at: number, removeAt?: number): Promise<boolean> {
  const { runId } = meta;
  await planRemoval({ runId, due: at + AGAIN_MS });
  await planRemoval({ runId, due: at + LATE_MS });
  const only = alone(removeAt === undefined ? OVER : unread(removeAt), meta);
  return putIf({ pk: runKey(runId), sk: META_KEY, ...tombstoneOf(meta, by, at) }, only);
}

/** Only while no other run has come of it since META was read. */
const alone = ({ expression, names, values }: Condition, { children }: Meta): Condition => ({
  expression: `${expression} AND ${children?.size ? '#children = :children' : 'attribute_not_exists(#children)'}`,
  names: { ...names, '#children': 'children' },
  values: { ...values, ...(children?.size ? { ':children': children } : {}) },
});

const unread = (removeAt: number): Condition => ({
  expression: `${OVER.expression} AND #removeAt = :removeAt AND attribute_not_exists(#inbox)`,
  names: { ...OVER.names, '#removeAt': 'removeAt', '#inbox': 'inbox' },
  values: { ...OVER.values, ':removeAt': removeAt },
});

/** Adds to a tombstone what was removed since it was last told, and notes when all was. */
export async function noteRemoved(runId: string, more: Removed, doneAt: number | undefined): Promise<void> {
  const kinds = Object.keys(more);
  const counts = kinds.map((_, i) => `#erased.#removed.#k${i} = if_not_exists(#erased.#removed.#k${i}, :zero) + :n${i}`);
  const changes = [...counts, ...(doneAt === undefined ? [] : ['#erased.#doneAt = if_not_exists(#erased.#doneAt, :doneAt)'])];
  if (changes.length === 0) return;
  await updateIf({ pk: runKey(runId), sk: META_KEY }, `SET ${changes.join(', ')}`, {
    expression: 'attribute_exists(#erased)',
    names: {
      '#erased': 'erased',
      ...(kinds.length > 0 ? { '#removed': 'removed' } : {}),
      ...(doneAt === undefined ? {} : { '#doneAt': 'doneAt' }),
      ...Object.fromEntries(kinds.map((kind, i) => [`#k${i}`, kind])),
    },
    values: {
      ...(kinds.length > 0 ? { ':zero': 0 } : {}),
      ...(doneAt === undefined ? {} : { ':doneAt': doneAt }),
      ...Object.fromEntries(kinds.map((kind, i) => [`:n${i}`, more[kind]])),
    },
  });
}
