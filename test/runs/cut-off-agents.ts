import * as z from 'zod';
import { defineAgent } from '../../shared/agent.ts';
import { type AnyTool, defineTool } from '../../shared/tool.ts';
import { askWorld } from './world.ts';

type Give = (item: string, seq: number) => unknown;

/** A tool that leaves a mark outside, and then returns what it is told to. */
const tool = (name: string, effect: 'read' | 'once', give: Give) =>
  defineTool({
    name,
    description: 'Looks, or does',
    effect,
    input: z.object({ item: z.string() }),
    execute: async ({ item }, { key }) => {
      await askWorld('/apply', { key, name, input: item });
      return give(item, Number(key.split('/')[1]));
    },
  } as AnyTool);

/** What is another value when it is read back. */
const odd: Give = () => ({ when: new Date(0), seen: new Set([1]), m: new Map([['a', 1]]), note: undefined });

const tools = [
  tool('look_up', 'read', (item) => ({ found: item })),
  tool('check_status', 'read', (_, seq) => (seq < 6 ? 'pending' : 'done')),
  tool('give', 'read', odd),
  tool('give_once', 'once', odd),
];

export const agents = [
  defineAgent({ name: 'clerk', description: 'Works', model: 'anthropic/claude-x', instructions: 'Work.', tools, policy: { maxTurns: 9 } }),
];
