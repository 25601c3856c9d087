import * as z from 'zod';
import { defineAgent } from '../../shared/agent.ts';
import { defineTool } from '../../shared/tool.ts';
import { askWorld } from './world.ts';

const pay = defineTool({
  name: 'pay',
  description: 'Pays with consent',
  effect: 'once',
  input: z.object({ item: z.string() }),
  approval: 'always',
  execute: ({ item }, { key }) => askWorld('/apply', { key, name: 'pay', input: item }),
});

const teller = { description: 'Pays once', model: 'anthropic/claude-x', instructions: 'Pay what is asked', tools: [pay] };

/** Agents whose model is asked over the network. */
export const agents = [
  defineAgent({ ...teller, name: 'teller' }),
  defineAgent({ ...teller, name: 'adopting-teller', policy: { onDrift: { adopt: 'Grace' } } }),
];
