import * as z from 'zod';
import { defineAgent } from '../../shared/agent.ts';
import { defineTool } from '../../shared/tool.ts';
import { askWorld } from './world.ts';

const pay = defineTool({
  name: 'pay',
  description: 'Pays',
  effect: 'once',
  input: z.object({ item: z.string() }),
  execute: ({ item }, { key }) => askWorld('/apply', { key, name: 'pay', input: item }),
});

/** Agents whose model is asked over the network: each has one of its own, by which the provider of the tests knows it. */
export const agents = ['replying', 'summing-up', 'plain', 'taken', 'stopped-before', 'stopped-after'].map((name) =>
  defineAgent({
    name,
    description: 'Pays, bill by bill',
    model: `openai-compatible/${name}`,
    instructions: 'Pay.',
    tools: [pay],
    policy: { compaction: { atTokens: 1_000, keepTokens: 100 } },
  }),
);
