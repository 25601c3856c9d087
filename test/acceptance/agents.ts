import * as z from 'zod';
import { agents as benchAgents } from '../../bench/agents.ts';
import { type Agent, defineAgent } from '../../shared/agent.ts';
import { defineTool } from '../../shared/tool.ts';
import { agents as storyAgents } from '../runs/agents.ts';
import { agents as askAgents } from '../runs/ask-agents.ts';
import { askWorld } from '../runs/world.ts';

const paySlowly = defineTool({
  name: 'pay_slowly',
  description: 'Pays, and takes its time to say so',
  effect: 'once',
  input: z.object({ item: z.string() }),
  timeoutSeconds: 4,
  execute: ({ item }, { key }) => askWorld('/apply', { key, name: 'pay_slowly', input: item, holdMs: 2_500 }),
});

const slow = defineAgent({
  name: 'slow',
  description: 'Pays slowly',
  model: 'scripted/slow',
  instructions: 'Pay.',
  tools: [paySlowly],
  script: ({ turn }) => (turn === 0 ? { calls: [{ tool: 'pay_slowly', input: { item: 'a' } }] } : { text: 'Paid.' }),
});

/** The agent of the stories; one that pays with consent; one that is slow; one whose turns are all the same. */
export const agents: readonly Agent[] = [...storyAgents, ...askAgents, slow, ...benchAgents];
