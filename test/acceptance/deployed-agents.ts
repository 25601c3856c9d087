import * as z from 'zod';
import { type Agent, defineAgent } from '../../shared/agent.ts';
import type { PolicySettings } from '../../shared/policy.ts';
import { defineTool } from '../../shared/tool.ts';
import { askWorld } from '../runs/world.ts';

/** Agents that pay with consent, whose effects and texts tell which deployment's code they are of; by what becomes of their runs when that is another. */
export function deployedAgents(deployment: string): readonly Agent[] {
  const pay = defineTool({
    name: 'pay',
    description: `Pays as the ${deployment} deployment does`,
    effect: 'once',
    input: z.object({ item: z.string() }),
    approval: 'always',
    execute: ({ item }, { key }) => askWorld('/apply', { key, name: `${deployment} pay`, input: item }),
  });
  const agent = (name: string, onDrift: NonNullable<PolicySettings['onDrift']>) =>
    defineAgent({
      name,
      description: 'Pays with consent',
      policy: { onDrift },
      model: 'scripted/deployed',
      instructions: `Pay as the ${deployment} deployment does.`,
      tools: [pay],
      script: ({ turn }) => (turn === 0 ? { calls: [{ tool: 'pay', input: { item: 'a' } }] } : { text: `Paid by the ${deployment}.` }),
    });
  return [agent('deployed', 'stay'), agent('asking', 'ask'), agent('adopting', { adopt: 'Grace' })];
}
