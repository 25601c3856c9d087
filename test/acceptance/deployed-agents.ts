import * as z from 'zod';
import { type Agent, defineAgent } from '../../shared/agent.ts';
import { defineTool } from '../../shared/tool.ts';
import { askWorld } from '../runs/world.ts';

/** An agent that pays with consent, and whose effects and texts tell which deployment's code they are of. */
export function deployedAgents(deployment: string): readonly Agent[] {
  const pay = defineTool({
    name: 'pay',
    description: `Pays as the ${deployment} deployment does`,
    effect: 'once',
    input: z.object({ item: z.string() }),
    approval: 'always',
    execute: ({ item }, { key }) => askWorld('/apply', { key, name: `${deployment} pay`, input: item }),
  });
  return [
    defineAgent({
      name: 'deployed',
      description: 'Pays with consent',
      model: 'scripted/deployed',
      instructions: `Pay as the ${deployment} deployment does.`,
      tools: [pay],
      script: ({ turn }) => (turn === 0 ? { calls: [{ tool: 'pay', input: { item: 'a' } }] } : { text: `Paid by the ${deployment}.` }),
    }),
  ];
}
