import * as z from 'zod';
import { defineAgent } from '../../shared/agent.ts';
import type { Script } from '../../shared/model.ts';
import { defineTool } from '../../shared/tool.ts';
import { largeText } from './large-text.ts';
import { askWorld } from './world.ts';

const size = z.object({ characters: z.int() });

/** What a run of these agents is given: how large each thing in it is to be, in characters. */
export interface Sizes {
  /** Of the outputs of the calls of the first reply. */
  readonly outputs?: number[];
  readonly reply?: number;
  readonly argument?: number;
  readonly padding?: string;
}

const fill = defineTool({
  name: 'fill',
  description: 'Returns a large text',
  effect: 'once',
  timeoutSeconds: 120,
  input: size,
  execute: async ({ characters }, { key }) => {
    await askWorld('/apply', { key, name: 'fill', input: String(characters) });
    return { text: largeText(characters) };
  },
});

const take = defineTool({
  name: 'take',
  description: 'Takes a large text, with consent',
  effect: 'once',
  approval: 'always',
  input: z.object({ text: z.string() }),
  execute: async ({ text }, { key }) => {
    await askWorld('/apply', { key, name: 'take', input: String(text.length) });
    return text.length;
  },
});

const script: Script = ({ input, turn }) => {
  const { outputs, reply, argument } = input as Sizes;
  if (turn === 0 && outputs) return { calls: outputs.map((characters) => ({ tool: 'fill', input: { characters } })) };
  if (turn === 0 && argument) return { calls: [{ tool: 'take', input: { text: largeText(argument) } }] };
  return { text: reply ? largeText(reply) : 'Done.' };
};

export const agents = [
  defineAgent({
    name: 'large',
    description: 'Has large things',
    model: 'scripted/large',
    instructions: 'Play.',
    tools: [fill, take],
    script,
  }),
];
