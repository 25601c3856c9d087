import * as z from 'zod';
import type { Log } from './log.ts';
import type { Reply, RunRecord } from './record.ts';
import { runningFold } from './running-fold.ts';

/** The name of the tool whose latest call is the plan. */
export const PLAN_TOOL = 'set_plan';

export const planItem = z.object({
  text: z.string().min(1).max(500).describe('What is to be done, in one sentence'),
  status: z.enum(['open', 'doing', 'done', 'dropped']).describe('Where it stands'),
});
export type PlanItem = z.infer<typeof planItem>;

/** An agent's task list, whole: each call replaces the one before. */
export const plan = z.object({ items: z.array(planItem).max(100).describe('All items, in order; the list replaces the one before') });
export type Plan = z.infer<typeof plan>;

/** Returns the plan that stands at the end of a log, or stood at the record `through`. */
export function planOf(log: Log, through = log.length): Plan | undefined {
  const seq = plans(log).findLast((each) => each <= through);
  return seq === undefined ? undefined : planIn(log[seq - 1]);
}

/** Returns the seq of the reply that set the plan, if one did. */
export const planSeq = (log: Log): number | undefined => plans(log).at(-1);

/** The seqs of the replies that set a plan. */
const plans = runningFold<number[]>(
  () => [],
  (seqs, record) => {
    if (planIn(record)) seqs.push(record.seq);
  },
);

/** Returns the plan that a record sets: the last one, where a reply sets several. A list that is none sets nothing. */
export const planIn = (record: RunRecord | undefined): Plan | undefined =>
  record?.type === 'reply' ? (record.calls.findLast(setsPlan)?.input as Plan | undefined) : undefined;

const setsPlan = ({ tool, invalid, input }: Reply['calls'][number]): boolean =>
  tool === PLAN_TOOL && invalid === undefined && plan.safeParse(input).success;

/** A plan as text for the model and for people, one line for each item. */
export const planText = ({ items }: Plan): string => items.map(({ text, status }) => `${MARKS[status]} ${text}`).join('\n') || '(empty)';

const MARKS = { open: '[ ]', doing: '[~]', done: '[x]', dropped: '[-]' } as const satisfies Record<PlanItem['status'], string>;
