import type { RunSummary, ShownSummary } from './api.ts';
import { limitsOf } from './budget.ts';
import { versionOf } from './machine.ts';
import type { Meta, Parent } from './meta.ts';
import { costOf } from './prices.ts';
import { endStatus } from './record.ts';
import { spentBy } from './spent.ts';
import { askId } from './tables.ts';
import type { ViewSummary } from './view-summary.ts';

const priced = (costUsd: number | undefined) => (costUsd === undefined ? {} : { costUsd });

/** What a run cost so far, US dollars; undefined while the price of a reply is not known. Old totals hold no cost. */
export function costOfRun({ pin, totals }: Pick<Meta, 'pin' | 'totals'>): number | undefined {
  if (totals.unpriced) return undefined;
  return totals.costUsd ?? costOf(pin.model, totals);
}

const versioned = (version: number | undefined) => (version === undefined ? {} : { version });

const parentOf = ({ root: _, ...parent }: Parent) => parent;

/** What the API shows of a run. */
export const summaryOf = (meta: Meta): RunSummary => ({
  runId: meta.runId,
  agent: meta.agent,
  status: meta.status,
  reason: meta.reason,
  model: meta.pin.model,
  ...versioned(versionOf(meta.pin.machine)),
  createdAt: meta.createdAt,
  seenAt: meta.seenAt,
  segment: meta.segment,
  totals: spentBy(meta),
  limits: limitsOf(meta.policy, meta.totals.raised),
  ...priced(costOfRun({ pin: meta.pin, totals: spentBy(meta) })),
  step: meta.step,
  attempts: meta.attempts,
  ...(meta.waitUntil > 0 ? { waitUntil: meta.waitUntil } : {}),
  ...(meta.waiting ? { ask: { id: askId(meta.runId, meta.waiting.seq), kind: meta.waiting.kind } } : {}),
  ...(meta.summary?.seq ? { summarizedTo: meta.summary.seq } : {}),
  ...(meta.parent ? { parent: parentOf(meta.parent) } : {}),
  ...(meta.children?.size ? { children: [...meta.children].sort() } : {}),
  ...(meta.restartedAs === undefined ? {} : { restartedAs: meta.restartedAs }),
  ...(meta.removeAt === undefined ? {} : { removeAt: meta.removeAt }),
  ...(meta.erased ? { erased: meta.erased } : {}),
  ...(meta.imported ? { imported: { at: meta.imported.at, by: meta.imported.by } } : {}),
  ...(meta.cancel && !endStatus.safeParse(meta.status).success ? { cancelling: true } : {}),
});

/** What the API shows of a stored summary of a run. */
export const shownSummaryOf = ({ summary }: Pick<Meta, 'summary'>, { v: _v, spent: _spent, ...stored }: ViewSummary): ShownSummary => ({
  ...stored,
  current: stored.seq === summary?.seq && stored.version === summary.version && !stored.discarded,
});
