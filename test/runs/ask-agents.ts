import { z } from 'zod';
import { defineAgent } from '../../shared/agent.ts';
import type { Json } from '../../shared/json.ts';
import type { Script } from '../../shared/model.ts';
import { defineTool } from '../../shared/tool.ts';
import { askWorld } from './world.ts';

const pay = (name: string, more: { approvers?: string[]; expiresInSeconds?: number }) =>
  defineTool({
    name,
    description: 'Pays with consent',
    effect: 'once',
    input: z.object({ item: z.string() }),
    approval: () => ({ reason: 'It costs money', ...more }),
    execute: ({ item }, { key }) => askWorld('/apply', { key, name, input: item }),
  });

/** The input of the run is a list of replies, each a list of `tool item`. */
const fromInput: Script = ({ input, turn }) => {
  const line = (input as Json[])[turn];
  if (!Array.isArray(line)) return { text: 'Done.' };
  return {
    calls: (line as string[]).map((each) => ({ tool: each.split(' ')[0] as string, input: { item: each.split(' ').slice(1).join(' ') } })),
  };
};

export const agents = [
  defineAgent({
    name: 'payer',
    description: 'Pays',
    model: 'scripted/payer',
    instructions: 'Pay.',
    tools: [
      pay('pay', {}),
      pay('pay_soon', { expiresInSeconds: 1 }),
      pay('pay_ada', { approvers: ['ada@example.test', 'bob@example.test'] }),
    ],
    script: fromInput,
    asks: { approvers: ['boss@example.test'] },
  }),
];
