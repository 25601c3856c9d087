import * as z from 'zod';
import { type AgentDefinition, defineAgent } from '../../shared/agent.ts';
import type { Script } from '../../shared/model.ts';
import { defineTool } from '../../shared/tool.ts';
import { askWorld } from './world.ts';

const input = z.object({ item: z.string() });
const tool = (name: string, effect: 'read' | 'once') =>
  defineTool({
    name,
    description: name,
    effect,
    input,
    execute: ({ item }: z.infer<typeof input>, { key }: { key: string }) => askWorld('/apply', { key, name, input: item }),
  });

const tools = [tool('look_up', 'read'), tool('pay', 'once')];
const turn = (n: number) => ({
  text: `Turn ${n}`,
  calls: [
    { tool: 'pay', input: { item: `item ${n}` } },
    { tool: 'look_up', input: { item: 'a' } },
    { tool: 'look_up', input: { item: 'b' } },
  ],
});

/** Works on and on, until it is told to finish up. */
const worker: Script = ({ turn: n, finishing, messages }) => {
  if (finishing) return { text: 'This is what I have.' };
  return messages[0]?.startsWith('Say') ? { text: messages[0] } : turn(n);
};

const agent = (name: string, script: Script, more: Partial<AgentDefinition>) =>
  defineAgent({ name, description: name, model: 'scripted/test', instructions: 'Work.', tools, script, ...more });

/** Three turns of work and a last word. */
const fewTurns: Script = (situation) => (situation.turn < 3 ? worker(situation) : { text: 'Done.' });

/** A dollar for a thousand tokens of output: a turn of `worker` has 15. */
const price = { input: 0, output: 1000 };
const modelSettings = { maxOutputTokens: 20 };

export const agents = [
  agent('short', worker, { policy: { maxTurns: 5 } }),
  agent('stubborn', ({ turn: n }) => turn(n), { policy: { maxTurns: 2 } }),
  agent('silent', ({ turn: n }) => (n === 0 ? turn(0) : {}), { policy: { maxTurns: 1 } }),
  agent('thrifty', worker, { policy: { maxTokens: 300 }, modelSettings }),
  agent('cheap', worker, { policy: { maxCostUsd: 0.05 }, modelSettings, price }),
  agent('hasty', ({ attempt }) => (attempt === 1 ? { overloaded: 'busy', waitSeconds: 2 } : { text: 'Done.' }), {
    policy: { maxSeconds: 1 },
  }),
  agent('daily', fewTurns, { budgetPerDay: { tokens: 250 }, modelSettings }),
  agent('daily-cost', fewTurns, { budgetPerDay: { costUsd: 0.02 }, modelSettings, price }),
  agent('daily-runs', fewTurns, { budgetPerDay: { runs: 2 }, modelSettings }),
  agent('counted', fewTurns, { budgetPerDay: {}, modelSettings, price }),
  defineAgent({
    name: 'unpriced',
    description: 'Has a budget in money, and a model whose price nobody knows',
    model: 'openai-compatible/llama',
    instructions: 'Work.',
    tools: [],
    policy: { maxCostUsd: 1 },
  }),
];
