import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { defineAgent } from '../../shared/agent.ts';
import { askUser } from '../../shared/ask-user.ts';
import { NoEffectError } from '../../shared/errors.ts';
import { file } from '../../shared/file.ts';
import type { ScriptedReply } from '../../shared/model.ts';
import { defineTool, pending } from '../../shared/tool.ts';
import { askWorld } from './world.ts';

const input = z.object({ who: z.string() });

const lookUp = defineTool({
  name: 'look_up',
  description: 'Reads everything about somebody',
  effect: 'read',
  input,
  // More than an item may hold, however it is packed.
  execute: ({ who }) => ({ who, all: randomBytes(120_000).toString('base64') }),
});

const give = (name: string, more: { approval?: 'always'; key?: (given: { who: string }) => string }) =>
  defineTool({
    name,
    description: 'Gives something to somebody',
    effect: 'once',
    input,
    ...more,
    execute: async ({ who }, { key, log }) => {
      log('Giving');
      await askWorld('/apply', { key, name, input: who });
      return { given: who };
    },
  });

const draw = defineTool({
  name: 'draw',
  description: 'Draws somebody',
  effect: 'read',
  input,
  execute: ({ who }) => ({ of: who, drawing: file({ bytes: randomBytes(3_000_000), mediaType: 'application/octet-stream' }) }),
});

const refuse = defineTool({
  name: 'refuse',
  description: 'Refuses',
  effect: 'once',
  input,
  execute: ({ who }) => {
    throw new NoEffectError(`Nobody gives to ${who}`);
  },
});

const order = defineTool({
  name: 'order',
  description: 'Orders; the result comes later',
  effect: 'idempotent',
  input,
  callback: {},
  execute: async ({ who }, { key, callbackUrl = '' }) => {
    await askWorld('/apply', { key, name: 'order', input: `${who} ${callbackUrl}`, dedupe: true });
    return pending();
  },
});

const definition = {
  description: 'Gives to people',
  model: 'scripted/giver',
  instructions: 'Give.',
  tools: [
    lookUp,
    draw,
    give('give', {}),
    give('give_asked', { approval: 'always' }),
    give('give_keyed', { key: ({ who }) => `a gift for ${who}` }),
    refuse,
    order,
    askUser(),
  ],
  asks: { approvers: ['boss@example.test'] },
  // The task is a list of tools, one a turn, and whom they are about.
  script: ({ input: task, turn, messages }: { input: unknown; turn: number; messages: readonly string[] }): ScriptedReply => {
    const { who, tools } = task as { who: string; tools: string[] };
    const tool = tools[turn];
    if (!tool) return { text: `Done for ${who}. ${messages.join(' ')}` };
    const given = tool === 'ask_user' ? { question: `What of ${who}?` } : { who };
    return { text: `Now ${tool} for ${who}`, calls: [{ tool, input: given }] };
  },
} as const;

export const agents = [
  defineAgent({ name: 'giver', ...definition }),
  defineAgent({ name: 'patient', ...definition, retention: { afterDays: 30 } }),
  defineAgent({ name: 'forgetful', ...definition, retention: { afterDays: 1 / 24 / 3600 } }),
];
