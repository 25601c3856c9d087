import * as z from 'zod';
import { type AgentDefinition, defineAgent } from '../../shared/agent.ts';
import type { Script } from '../../shared/model.ts';
import { defineTool } from '../../shared/tool.ts';

const input = z.object({ item: z.string() });

const pay = defineTool({
  name: 'pay',
  description: 'Pays with consent',
  effect: 'once',
  approval: 'always',
  input,
  execute: ({ item }) => `paid ${item}`,
});

const fail = defineTool({
  name: 'fail',
  description: 'Always fails',
  effect: 'read',
  maxAttempts: 1,
  input,
  execute: () => {
    throw new Error('the shelf is empty');
  },
});

const call = (tool: string, item: string) => ({ tool, input: { item } });

const agent = (name: string, script: Script, more: Partial<AgentDefinition> = {}) =>
  defineAgent({ name, description: name, model: `scripted/${name}`, instructions: 'Play.', tools: [pay, fail], script, ...more });

/** For each kind of ask, and for none, an agent that gets there. */
export const agents = [
  agent('echo', ({ messages, turn }) => ({ text: turn === 0 ? 'Hello.' : `You said: ${messages.join(' | ')}` })),
  agent('two-payments', ({ turn }) => (turn === 0 ? { calls: [call('pay', 'a'), call('pay', 'b')] } : { text: 'Done.' })),
  agent('failing', ({ results }) => (results[0]?.ok ? { text: 'Done.' } : { calls: [call('fail', 'a')] })),
  agent('unpaid', ({ attempt }) => (attempt === 1 ? { rejected: 'billing', reason: 'The balance is used up.' } : { text: 'Done.' })),
  agent('refusing', () => ({ finish: 'refused', text: 'I will not.' })),
];
