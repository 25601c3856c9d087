import * as z from 'zod';
import { defineAgent } from '../../shared/agent.ts';
import { defineTool } from '../../shared/tool.ts';
import { payingOnce } from './pay-once.ts';

const lookUp = defineTool({
  name: 'look_up',
  description: 'Reads an item',
  effect: 'read',
  input: z.object({ item: z.string() }),
  execute: ({ item }) => `Item ${item}: ${'a line of what is known of it. '.repeat(12)}`,
});

const dump = defineTool({
  name: 'dump',
  description: 'Returns far more than a window',
  effect: 'read',
  input: z.object({ item: z.string() }),
  execute: ({ item }) => `${item}\n${'a row of the dump, and another\n'.repeat(2_000)}end of ${item}`,
});

/** Each has a model of its own, by which the provider of the tests knows what it is to play. */
const NAMES = ['slow', 'waiting', 'gone', 'gone-for-good', 'expired', 'dumping', 'windowless', 'counted-0', 'counted-100', 'uncounted'];

/** Agents with a tiny window, whose model is asked over the network. */
export const agents = NAMES.map((name) =>
  defineAgent({
    name,
    description: 'Looks up, pays once, and looks up more',
    model: `openai-compatible/${name}`,
    instructions: 'Take your turns.',
    tools: [lookUp, dump, payingOnce('pay')],
    policy: { compaction: { atTokens: 2_000, keepTokens: 400 }, maxModelAttempts: 3, maxTurns: 60 },
  }),
);
