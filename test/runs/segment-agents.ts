import { defineAgent } from '../../shared/agent.ts';
import { payingOnce } from './pay-once.ts';

/** Agents whose model is asked over the network: each has one of its own, by which the provider of the tests knows it. */
export const agents = ['replying', 'summing-up', 'plain', 'taken', 'stopped-before', 'stopped-after'].map((name) =>
  defineAgent({
    name,
    description: 'Pays, bill by bill',
    model: `openai-compatible/${name}`,
    instructions: 'Pay.',
    tools: [payingOnce('pay')],
    policy: { compaction: { atTokens: 1_000, keepTokens: 100 } },
  }),
);
