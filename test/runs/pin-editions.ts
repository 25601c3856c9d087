import * as z from 'zod';
import { type Agent, defineAgent } from '../../shared/agent.ts';
import type { Json } from '../../shared/json.ts';
import type { Script } from '../../shared/model.ts';
import type { PolicySettings } from '../../shared/policy.ts';
import { type AnyTool, defineTool } from '../../shared/tool.ts';
import { askWorld } from './world.ts';

/** The same agents before and after somebody edited them: which edition ran a tool shows in the world outside. */
export type Edition = 1 | 2;

const pay = (edition: Edition, more: object = {}): AnyTool =>
  defineTool({
    name: 'pay',
    description: 'Pays with consent',
    effect: 'once',
    input: z.object({ item: z.string() }),
    approval: 'always',
    execute: ({ item }: { item: string }, { key }: { key: string }) =>
      askWorld('/apply', { key, name: `pay of edition ${edition}`, input: item }),
    ...more,
  } as AnyTool);

/** Pays once, then says what it got, and by whose instructions. */
const payOnce =
  (edition: Edition): Script =>
  ({ input, turn, results }) => {
    if (turn === 0) return { calls: [{ tool: 'pay', input: { item: String(input) } }] };
    return { text: `${edition}: ${JSON.stringify(results[0]?.output ?? null)}` };
  };

interface Edited {
  readonly name: string;
  readonly policy?: PolicySettings;
  /** What the second edition has in place of `pay`. */
  readonly second?: readonly AnyTool[];
}

const agentOf = (edition: Edition, { name, policy = {}, second }: Edited): Agent =>
  defineAgent({
    name,
    description: 'Pays once',
    model: 'scripted/pay',
    instructions: edition === 1 ? 'Pay what is asked' : 'Pay what is asked\nBe quick',
    tools: (edition === 2 ? second : undefined) ?? [pay(edition)],
    policy,
    script: payOnce(edition),
  });

const ask = { onDrift: 'ask' } as const;

export const agentsOf = (edition: Edition): Agent[] => [
  agentOf(edition, { name: 'stays' }),
  agentOf(edition, { name: 'asks', policy: ask }),
  agentOf(edition, { name: 'adopts', policy: { onDrift: { adopt: 'Grace' } } }),
  agentOf(edition, { name: 'renames', policy: ask, second: [pay(2, { name: 'remit' })] }),
  agentOf(edition, { name: 'requires', policy: ask, second: [pay(2, { input: z.object({ item: z.string(), reason: z.string() }) })] }),
  agentOf(edition, { name: 'removes', policy: ask, second: [] }),
  agentOf(edition, { name: 'reclassifies', policy: ask, second: [pay(2, { effect: 'idempotent' })] }),
  agentOf(edition, { name: 'adds', policy: ask, second: [pay(2, { input: z.object({ item: z.string(), note: z.string().optional() }) })] }),
];

/** The result of the call, as the agent read it. */
export const saidBy = (text: string): { edition: number; output: Json } => ({
  edition: Number(text.slice(0, 1)),
  output: JSON.parse(text.slice(3)) as Json,
});
