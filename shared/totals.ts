import { begunAfter } from './branch.ts';
import type { Totals } from './meta.ts';
import { costOf, exact } from './prices.ts';
import type { Answer, AskedBudget, BudgetUnit, Raises, Reply, RunRecord } from './record.ts';
import { runningFold } from './running-fold.ts';

/** Sums over a log: turns, tokens, money, time at work, and by how much people raised its budgets. */
export const totalsOf = (log: readonly RunRecord[]): Totals => ({ ...sums(log).totals });

/** What is known of the price of a reply or a summary. */
export type Priced = Pick<Reply, 'model' | 'usage' | 'costUsd'>;

/** What a reply cost, US dollars: as it was recorded, else at the list's price; undefined when that is not known. */
export const costOfReply = ({ costUsd, model, usage }: Priced): number | undefined => costUsd ?? costOf(model, usage);

interface Sums {
  totals: Totals;
  /** The newest record, and the budget that the newest ask is about. */
  last?: RunRecord;
  asked?: AskedBudget | undefined;
  /** Turns up to the last limit of the old form, which a person's `retry` raised by as many again. */
  granted: number;
}

const NOTHING: Totals = { turns: 0, inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 0, activeMs: 0 };

const sums = runningFold<Sums>(
  () => ({ totals: NOTHING, granted: 0 }),
  (state, record, log) => {
    const { last } = state;
    state.totals = { ...state.totals, activeMs: (state.totals.activeMs ?? 0) + workedBetween(log, last, record) };
    if (record.type === 'reply') state.totals = withReply(state.totals, record);
    if (record.type === 'ask') {
      state.asked = record.questions[0]?.budget;
      if (record.reason === 'turn-limit' && !state.asked) grantAsMany(state);
    }
    if (record.type === 'answer' && state.asked) state.totals = raisedBy(state.totals, state.asked, record);
    if (record.type === 'user') for (const { raise } of record.messages) if (raise) state.totals = withRaises(state.totals, raise);
    state.last = record;
  },
);

/** What was waited for an answer, and what lay between an end and what came after it, is no time at work. */
const workedBetween = (log: readonly RunRecord[], last: RunRecord | undefined, record: RunRecord): number =>
  !last || last.type === 'end' || record.type === 'answer' ? 0 : Math.max(0, Math.round(record.at - begunAfter(log, last)));

function withReply(totals: Totals, reply: Reply): Totals {
  const { usage } = reply;
  const costUsd = costOfReply(reply);
  return {
    ...totals,
    turns: totals.turns + 1,
    inputTokens: totals.inputTokens + usage.inputTokens,
    outputTokens: totals.outputTokens + usage.outputTokens,
    cacheReadTokens: totals.cacheReadTokens + (usage.cacheReadTokens ?? 0),
    cacheWriteTokens: totals.cacheWriteTokens + (usage.cacheWriteTokens ?? 0),
    ...(costUsd === undefined ? { unpriced: (totals.unpriced ?? 0) + 1 } : { costUsd: exact((totals.costUsd ?? 0) + costUsd) }),
  };
}

/** Before limits could be raised by a number, `retry` gave as many turns again as there had been since the last limit. */
function grantAsMany(state: Sums): void {
  const turns = state.totals.turns - state.granted;
  state.granted = state.totals.turns;
  if (turns > 0) state.totals = withRaises(state.totals, { turns });
}

/** The budget of a day is its agent's, and raised there. */
function raisedBy(totals: Totals, { name, unit, by }: AskedBudget, { answers }: Answer): Totals {
  const raise = answers.find(({ decision }) => decision === 'raise');
  return raise && name !== 'day-limit' ? withRaises(totals, { [unit]: raise.amount ?? by }) : totals;
}

const UNITS = ['turns', 'seconds', 'tokens', 'costUsd'] as const satisfies readonly BudgetUnit[];

function withRaises(totals: Totals, more: Raises): Totals {
  const { raised = {} } = totals;
  const sum = UNITS.flatMap((unit) => {
    const amount = exact((raised[unit] ?? 0) + (more[unit] ?? 0));
    return amount > 0 ? [[unit, amount] as const] : [];
  });
  return { ...totals, raised: Object.fromEntries(sum) };
}
