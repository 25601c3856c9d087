import * as z from 'zod';
import { defineAgent } from '../../shared/agent.ts';
import { readResult } from '../../shared/read-result.ts';
import { setPlan } from '../../shared/set-plan.ts';
import { defineTool } from '../../shared/tool.ts';
import { DIALECTS } from '../support/provider-dialects.ts';

const lookUp = defineTool({
  name: 'look_up',
  description: 'Reads an item',
  effect: 'read',
  input: z.object({ item: z.string() }),
  execute: ({ item }) => `What is known of ${item}: ${'a shelf mark, two dates and a hand. '.repeat(8)}`,
});

/** One agent for each protocol, with a view of a few turns. */
export const agents = DIALECTS.map(({ model }, i) =>
  defineAgent({
    name: `asked-${i}`,
    description: `Asks ${model}`,
    model,
    instructions: 'Look everything up.',
    tools: [setPlan(), readResult(), lookUp],
    policy: { compaction: { atTokens: 1_500, keepTokens: 300 } },
  }),
);
