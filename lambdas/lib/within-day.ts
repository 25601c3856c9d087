import { type Agent, findAgent } from '../../shared/agent.ts';
import { type Estimate, estimateOf, finishingAt, type PlannedStep } from '../../shared/budget.ts';
import { type DaySpend, type DayUnit, dayLimitReached, type Share, shareOf } from '../../shared/day.ts';
import { type Log, latest } from '../../shared/log.ts';
import type { Meta, Totals } from '../../shared/meta.ts';
import type { BudgetPerDay } from '../../shared/policy.ts';
import type { Ask, Draft } from '../../shared/record.ts';
import { NOTHING_SPENT, sumOf, withRequest } from '../../shared/spent.ts';
import { askId } from '../../shared/tables.ts';
import { allAgents } from './agents.ts';
import { appendAsk } from './append-ask.ts';
import { type Day, dayOf, raiseDay, readDay, reserve, settle } from './day-store.ts';
import { mustRead } from './meta-store.ts';
import { plannedStep } from './planned-step.ts';
import type { Perform, Step } from './step.ts';

/**
 * Has a model step spend only what the budget of its agent's day has room for: its share is reserved before, and what it took
 * is put in its place after. A step that is begun again has reserved already. An agent without such a budget pays nothing for it.
 */
export function withinDay(perform: Perform): Perform {
  return async (step) => {
    const agent = findAgent(allAgents, step.meta.agent);
    const planned = agent?.budgetPerDay && plannedStep(step.meta);
    return agent?.budgetPerDay && planned ? spend({ step, agent, planned, limits: agent.budgetPerDay }, perform) : perform(step);
  };
}

/** A model step, and the budget that it is held to. */
export interface Spending {
  readonly step: Step;
  readonly agent: Agent;
  readonly planned: PlannedStep;
  readonly limits: BudgetPerDay;
}

/** Reserves, has the step performed, and settles; or asks, when there is no room. */
export async function spend(spending: Spending, perform: Perform): Promise<Log> {
  const { step, agent, limits } = spending;
  const { meta, log } = step;
  await raiseAsAnswered(spending);
  // The log grows with what the step appends: where the step stood is kept.
  const cursor = log.length;
  const of = { agent: agent.name, day: dayOf(Date.now()) };
  const share = shareAt(spending, cursor);
  const id = stepId(meta.runId, cursor);
  await healedOvernight(of, spending);
  const refused = await reserveOrAsk(of, id, share, finishingAt(log) ? {} : limits, spending);
  if (refused) return appendAsk(meta, log, refused);
  const after = await perform(step);
  await settle(of, id, share, await tookIn(meta, after, cursor), isFirstAt(meta, after, cursor));
  return after;
}

const stepId = (runId: string, cursor: number): string => `${runId}#${cursor}`;

function shareAt({ step: { log, meta }, planned }: Spending, cursor: number): Share {
  const before = cursor === log.length ? log : log.slice(0, cursor);
  const estimate: Estimate = estimateOf(before, planned);
  return shareOf(estimate, isFirstAt(meta, log, cursor));
}

/** Whether the run has no reply of its own yet. */
function isFirstAt({ parent }: Meta, log: Log, cursor: number): boolean {
  const first = log.findIndex(({ type }, i) => i >= (parent?.at ?? 0) && type === 'reply');
  return first < 0 || first >= cursor;
}

/** How often a reservation is tried against an item that changes between the try and the look. */
const TRIES = 5;

async function reserveOrAsk(of: Day, id: string, share: Share, limits: BudgetPerDay, spending: Spending): Promise<Draft<Ask> | undefined> {
  for (let left = TRIES; left > 0; left--) {
    const day = await reserve(of, id, share, limits);
    if (day) return void (await healed(of, day, spending, id));
    const now = await readDay(of);
    if (now.steps?.has(id)) return undefined;
    const refused = dayLimitReached(now, limits, share);
    if (refused) return refused;
  }
  throw new Error(`Cannot reserve a share of the day for run "${spending.step.meta.runId}": its budget changed ${TRIES} times meanwhile`);
}

/** Settles an earlier step of the run that was cut off between its reply and its settling. */
async function healed(of: Day, { steps = new Set() }: DaySpend, spending: Spending, id: string): Promise<void> {
  const { log, meta } = spending.step;
  for (const other of steps) {
    const cursor = Number(other.split('#')[1]);
    if (other === id || other !== stepId(meta.runId, cursor) || cursor >= log.length) continue;
    await settleAt(of, spending, cursor);
  }
}

/** Settles the step of the reply before, if that was cut off so on another day: one more read, with the first step of a day. */
async function healedOvernight({ agent, day }: Day, spending: Spending): Promise<void> {
  const { log, meta } = spending.step;
  const reply = latest(log, 'reply');
  const before = reply && { agent, day: dayOf(reply.at - reply.ms) };
  if (!before || before.day === day) return;
  const cursor = reply.seq - 1;
  if ((await readDay(before)).steps?.has(stepId(meta.runId, cursor))) await settleAt(before, spending, cursor);
}

function settleAt(of: Day, spending: Spending, cursor: number): Promise<void> {
  const { log, meta } = spending.step;
  return settle(of, stepId(meta.runId, cursor), shareAt(spending, cursor), replyIn(log, cursor), isFirstAt(meta, log, cursor));
}

/** What the reply at the end of a step cost; nothing when it ended with none. */
function replyIn(log: Log, cursor: number): Totals {
  const record = log[cursor];
  return record?.type === 'reply' ? { ...withRequest(NOTHING_SPENT, record), turns: 1 } : NOTHING_SPENT;
}

/** What a step took: its reply, else what META says of a summary that it made. */
async function tookIn(meta: Meta, after: Log, cursor: number): Promise<Totals> {
  if (after[cursor]?.type === 'reply') return replyIn(after, cursor);
  const now = (await mustRead(meta.runId)).summary?.spent;
  return now ? sumOf(now, negative(meta.summary?.spent ?? NOTHING_SPENT)) : NOTHING_SPENT;
}

const negative = (spent: Totals): Totals => ({
  turns: -spent.turns,
  inputTokens: -spent.inputTokens,
  outputTokens: -spent.outputTokens,
  cacheReadTokens: -spent.cacheReadTokens,
  cacheWriteTokens: -spent.cacheWriteTokens,
  costUsd: -(spent.costUsd ?? 0),
  unpriced: -(spent.unpriced ?? 0),
});

/** Counts the raise that was the answer to the ask before this step, on the day that was asked about. */
async function raiseAsAnswered({ step: { log, meta }, agent }: Spending): Promise<void> {
  const answer = log.at(-1);
  const ask = answer?.type === 'answer' ? log[answer.ask - 1] : undefined;
  if (answer?.type !== 'answer' || ask?.type !== 'ask') return;
  const budget = ask.questions[0]?.budget;
  const raise = answer.answers.find(({ decision }) => decision === 'raise');
  if (!raise || budget?.name !== 'day-limit' || budget.day === undefined) return;
  const of = { agent: agent.name, day: budget.day };
  await raiseDay(of, askId(meta.runId, ask.seq), budget.unit as DayUnit, raise.amount ?? budget.by);
}
