import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { checkInput } from '../../../lambdas/lib/judge.ts';
import { judgeEdit } from '../../../lambdas/lib/judge-edit.ts';
import { defineAgent } from '../../../shared/agent.ts';
import type { Json } from '../../../shared/json.ts';
import type { Log } from '../../../shared/log.ts';
import type { Edit } from '../../../shared/record.ts';
import { defineTool } from '../../../shared/tool.ts';
import { calling, lastReply, logOf, RUN_ID, settling, task, wrote } from '../../support/log-builder.ts';

/** Small amounts are for anybody on the list; larger ones need more. */
const policyOf = (amount: number) => {
  const approvers = ['ann@example.test', 'bob@example.test'];
  if (amount > 300) return { reason: 'Huge', approvers: ['cfo@example.test'] };
  if (amount > 200) return { reason: 'Large', approvers, risk: 'high' as const };
  if (amount > 100) return { reason: 'Middling', approvers, needs: 2 };
  return amount > 10 && { reason: 'Small', approvers };
};

const toolOf = (onRepeat: 'run' | 'reuse' | 'ask') =>
  defineTool({
    name: 'pay',
    description: 'Pays',
    effect: 'once',
    input: z.object({
      amount: z.number(),
      to: z
        .string()
        .trim()
        .default('Ann')
        .refine((to) => {
          if (to === 'nobody') throw new Error('the schema broke');
          return true;
        }),
    }),
    approval: ({ amount }) => policyOf(amount),
    onRepeat,
    execute: () => 'paid',
  });

const given = (tool: ReturnType<typeof toolOf>, ...amounts: number[]) =>
  calling(
    ...amounts.map((amount) => {
      const approval = policyOf(amount);
      const input = { amount, to: 'Ann' };
      const { inputHash } = checkInput(tool, input) as Edit;
      return { providerId: 'c', tool: 'pay', input, inputHash, class: 'once' as const, ...(approval ? { approval } : {}) };
    }),
  );

/** Edits the first call of a reply whose calls pay these amounts. */
function edit(input: Json, { onRepeat = 'run' as 'run' | 'reuse' | 'ask', amounts = [50], before = [] as number[] } = {}) {
  const tool = toolOf(onRepeat);
  const agent = defineAgent({ name: 'payer', description: 'Pays', model: 'scripted/x', instructions: '', tools: [tool] });
  const done = before.flatMap((amount, i) => [given(tool, amount), settling(wrote('done', 2 + 2 * i))]);
  const log: Log = logOf(task(), ...done);
  const reply = lastReply([...log, ...logOf(...log, given(tool, ...amounts)).slice(-1)]);
  return judgeEdit({ runId: RUN_ID, agent, log }, reply, reply.calls[0] as (typeof reply.calls)[number], input);
}

const refused = (why: RegExp) => ({ invalid: expect.stringMatching(why) });

describe('arguments that a person puts in place of those asked about', () => {
  it('are taken when the policy asks no more of them', () => {
    expect(edit({ amount: 60, to: 'Bob' })).toMatchObject({ input: { amount: 60, to: 'Bob' } });
    expect(edit({ amount: 5, to: 'Bob' })).toMatchObject({ input: { amount: 5, to: 'Bob' } });
    expect(edit({ amount: 110, to: 'Bob' }, { amounts: [120] })).toMatchObject({ input: { amount: 110, to: 'Bob' } });
  });

  it.each([
    [150, /need the yes of 2 people; deny/],
    [250, /of high risk/],
    [350, /for cfo@example\.test to decide/],
  ])('are not taken when they need more than was asked: %s', (amount, why) => {
    expect(edit({ amount, to: 'Ann' })).toEqual(refused(why));
  });

  it.each([[{ amount: 60, to: ' Bob ' }], [{ amount: 60 }]])('are not taken when other ones would run: %j', (input) => {
    expect(edit(input)).toEqual(refused(/exactly these arguments, but with \{"amount":60,"to":"(Bob|Ann)"\}/));
  });

  it('are not taken when they cannot be checked', () => {
    expect(edit({ amount: 60, to: 'nobody' })).toEqual(refused(/cannot be checked: the schema broke/));
  });

  it('make no repeat of a call beside it that the author wants none of', () => {
    const twice = { amount: 60, to: 'Ann' };
    expect(edit(twice, { amounts: [50, 60] })).toMatchObject({ input: twice });
    expect(edit(twice, { amounts: [50, 60], onRepeat: 'reuse' })).toEqual(refused(/call 1 of this reply has the same arguments/));
    expect(edit(twice, { amounts: [50, 60], onRepeat: 'ask' })).toEqual(refused(/call 1 of this reply has the same arguments/));
  });

  it('make no repeat of an earlier call that nobody was asked about', () => {
    const again = { amount: 60, to: 'Ann' };
    expect(edit(again, { before: [60], onRepeat: 'ask' })).toEqual(refused(/an equal call was done before, at record 2/));
    // Its output is used again.
    expect(edit(again, { before: [60], onRepeat: 'reuse' })).toMatchObject({ input: again });
  });

  it('are for a tool that is there', () => {
    const agent = defineAgent({ name: 'payer', description: 'Pays', model: 'scripted/x', instructions: '', tools: [] });
    const reply = lastReply(logOf(task(), given(toolOf('run'), 50)));
    const call = reply.calls[0] as (typeof reply.calls)[number];
    expect(judgeEdit({ runId: RUN_ID, agent, log: logOf(task()) }, reply, call, {})).toEqual(refused(/no tool "pay"/));
  });
});
