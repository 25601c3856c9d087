import { effectsOf, type LineageEffect } from '../../shared/lineage.ts';
import type { Meta } from '../../shared/meta.ts';
import { readLedger } from './ledger.ts';
import { readLog } from './log-store.ts';
import { isEnded, mustRead } from './meta-store.ts';
import { weightOf } from './weight.ts';

/** A run that came before, and its effects. */
export interface KnownAncestor {
  readonly meta: Meta;
  readonly effects: readonly LineageEffect[];
}

/** What was read of ancestors, which a warm worker keeps: one that is over for good never changes. */
const known = new Map<string, KnownAncestor>();
const MOST_KNOWN = 100;

/** Reads the runs that came before a run, oldest first. */
export async function ancestorsOf({ parent }: Pick<Meta, 'parent'>): Promise<KnownAncestor[]> {
  if (!parent) return [];
  const ancestor = await readAncestor(parent.runId);
  return [...(await ancestorsOf(ancestor.meta)), ancestor];
}

async function readAncestor(runId: string): Promise<KnownAncestor> {
  const before = known.get(runId);
  if (before && isOverForGood(before.meta)) return before;
  const meta = await mustRead(runId);
  if (before && isEnded(meta) && before.meta.status === meta.status && before.meta.epoch === meta.epoch) return before;
  const [log, entries] = await Promise.all([readLog(runId), readLedger(runId)]);
  return keep({ meta, effects: effectsOf({ runId, log, entries }) });
}

/** One that completed goes on when a message comes, unless another goes on in its place. */
const isOverForGood = (meta: Meta): boolean => isEnded(meta) && (meta.status !== 'completed' || meta.restartedAs !== undefined);

/** Outputs are part of effects: the newest that have at most so much together are kept, bytes of memory. */
const MOST_BYTES = 50_000_000;
const weights = new WeakMap<KnownAncestor, number>();

function keep(ancestor: KnownAncestor): KnownAncestor {
  known.delete(ancestor.meta.runId);
  known.set(ancestor.meta.runId, ancestor);
  weights.set(ancestor, weightOf(ancestor.effects));
  let bytes = [...known.values()].reduce((sum, each) => sum + (weights.get(each) ?? 0), 0);
  for (const [runId, each] of known) {
    if (known.size <= MOST_KNOWN && bytes <= MOST_BYTES) break;
    known.delete(runId);
    bytes -= weights.get(each) ?? 0;
  }
  return ancestor;
}
