import type { BudgetRequest } from '../../shared/api.ts';
import { limitsOf, MOST_TIMES } from '../../shared/budget.ts';
import { ProblemError } from '../../shared/errors.ts';
import type { Meta } from '../../shared/meta.ts';
import { raiseFault } from '../../shared/raise.ts';
import { type BudgetUnit, budgetUnit, type Raises } from '../../shared/record.ts';
import { askId } from '../../shared/tables.ts';
import { findAsk } from './ask-store.ts';
import { messageId, postMessage } from './inbox.ts';
import { isEnded } from './meta-store.ts';
import { hasEnded, isReopenable, reopen } from './reopen.ts';

/** What the model is told when nobody says more. */
const RAISED = 'The limits of this run were raised. Go on.';

/**
 * Raises budgets of a run, before they are reached or after it has ended at one, which continues it: a message says so in
 * the log, with the name of who did it. Throws 400 and 409 problems.
 */
export async function raiseBudget(meta: Meta, { raise, text = RAISED, by }: BudgetRequest, key: string | undefined): Promise<string> {
  assertRaises(meta, raise);
  if (meta.restartedAs !== undefined)
    throw new ProblemError(409, 'Run was restarted', `Run "${meta.runId}" was started over as run "${meta.restartedAs}"; raise it there`);
  if (meta.cancel || (isEnded(meta) && !isReopenable(meta))) throw hasEnded(meta);
  await assertNotAsked(meta, raise);
  const said = { text, raise: { by: by ?? 'the API', ...raise } };
  const id = await messageId(meta.runId, key, said);
  const now = await postMessage(meta.runId, id, said);
  if (isReopenable(now)) await reopen(now, id);
  return id;
}

const unitsOf = (raise: Raises): BudgetUnit[] => budgetUnit.options.filter((unit) => unit in raise);

function assertRaises({ policy, totals, runId }: Meta, raise: Raises): void {
  const limits: Partial<Record<BudgetUnit, number | undefined>> = limitsOf(policy, totals.raised);
  const own: Partial<Record<BudgetUnit, number | undefined>> = limitsOf(policy);
  if (unitsOf(raise).length === 0) throw wrong('say what is raised, and by how much', 'raise');
  for (const unit of unitsOf(raise)) {
    if (limits[unit] === undefined) throw wrong(`${unit} of run "${runId}" are not limited`, `raise.${unit}`);
    const least = unit === 'costUsd' ? 1e-10 : 1;
    const fault = raiseFault({ unit, least, most: (own[unit] ?? 0) * MOST_TIMES }, raise[unit as keyof Raises] as number);
    if (fault) throw wrong(fault, `raise.${unit}`);
  }
}

/** While an ask about the same budget is open, its answer is the way: two ways at once would raise it twice. */
async function assertNotAsked({ runId, waiting }: Meta, raise: Raises): Promise<void> {
  if (waiting?.kind !== 'escalation') return;
  const id = askId(runId, waiting.seq);
  const found = await findAsk(id);
  const budget = found?.open ? found.ask.questions[0]?.budget : undefined;
  if (budget && unitsOf(raise).includes(budget.unit))
    throw new ProblemError(409, 'Ask is open', `Run "${runId}" waits at this limit: answer its ask "${id}" with "raise"`);
}

const wrong = (detail: string, field: string) => new ProblemError(400, 'Invalid body', `${field}: ${detail}`, field);
