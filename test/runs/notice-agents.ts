import * as z from 'zod';
import { type AskSettings, defineAgent } from '../../shared/agent.ts';
import type { ApprovalNeed } from '../../shared/record.ts';
import { defineTool } from '../../shared/tool.ts';
import { askWorld } from './world.ts';

const pay = (name: string, need: Omit<ApprovalNeed, 'reason'> = {}) =>
  defineTool({
    name,
    description: 'Pays with consent',
    effect: 'once',
    input: z.object({ item: z.string() }),
    approval: () => ({ reason: 'It costs money', ...need }),
    execute: ({ item }, { key }) => askWorld('/apply', { key, name, input: item }),
  });

/** An agent that makes one call: its input is `tool item`. */
const caller = (name: string, asks: AskSettings) =>
  defineAgent({
    name,
    description: 'Pays',
    model: 'scripted/caller',
    instructions: 'Pay.',
    tools: [
      pay('pay'),
      pay('pay_high', { risk: 'high' }),
      pay('pay_soon', { expiresInSeconds: 1 }),
      pay('pay_elsewhere', { approvers: ['webhook:nobody', 'webhook:ops'] }),
      pay('pay_nowhere', { approvers: ['webhook:nobody'] }),
    ],
    script: ({ input, turn }) => {
      const [tool = '', ...item] = String(input).split(' ');
      return turn === 0 ? { calls: [{ tool, input: { item: item.join(' ') } }] } : { text: 'Done.' };
    },
    asks,
  });

const webhooks = { ops: `${process.env.HOOK_URL}/T0/secret-path` };

export const agents = [
  caller('told', { approvers: ['ada@example.test'], webhooks }),
  caller('both', { approvers: ['ada@example.test', 'webhook:ops'], webhooks }),
  caller('careful', { approvers: ['ada@example.test', 'webhook:ops'], webhooks, confirmHighRisk: 'code' }),
  caller('hooked', { approvers: ['webhook:ops'], webhooks }),
];
