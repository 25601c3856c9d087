import type { Meta, Totals } from './meta.ts';
import { exact } from './prices.ts';
import { costOfReply, type Priced } from './totals.ts';

export const NOTHING_SPENT: Totals = { turns: 0, inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** Returns what was spent together with one more request that is no turn. */
export function withRequest(spent: Totals, request: Priced): Totals {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = request.usage;
  const cost = costOfReply(request);
  return sumOf(spent, {
    turns: 0,
    inputTokens,
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens,
    ...(cost === undefined ? { unpriced: 1 } : { costUsd: cost }),
  });
}

/** What a run has spent: on its turns, which its log tells, and on summaries. */
export const spentBy = ({ totals, summary }: Pick<Meta, 'totals' | 'summary'>): Totals => (summary ? sumOf(totals, summary.spent) : totals);

/** Sums what was spent; all else is the first one's. */
export function sumOf(a: Totals, b: Totals): Totals {
  const costUsd = exact((a.costUsd ?? 0) + (b.costUsd ?? 0));
  const unpriced = (a.unpriced ?? 0) + (b.unpriced ?? 0);
  return {
    ...a,
    turns: a.turns + b.turns,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    ...(a.costUsd === undefined && b.costUsd === undefined ? {} : { costUsd }),
    ...(unpriced > 0 ? { unpriced } : {}),
  };
}
