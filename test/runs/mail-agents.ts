import * as z from 'zod';
import { defineAgent } from '../../shared/agent.ts';
import type { ScriptedReply } from '../../shared/model.ts';
import { defineTool } from '../../shared/tool.ts';
import { askWorld } from './world.ts';

const sendEmail = defineTool({
  name: 'send_email',
  description: 'Sends a mail',
  effect: 'once',
  input: z.object({ to: z.string(), subject: z.string() }),
  execute: (input, { key }) => askWorld('/apply', { key, name: 'send_email', input }),
});

const issueRefund = defineTool({
  name: 'issue_refund',
  description: 'Pays money back',
  effect: 'once',
  input: z.object({ orderId: z.string() }),
  approval: 'always',
  execute: (input, { key }) => askWorld('/apply', { key, name: 'issue_refund', input }),
});

const TURNS: readonly ScriptedReply[] = [
  { calls: [{ tool: 'send_email', input: { to: 'ada@example.test', subject: 'Your refund' } }] },
  { calls: [{ tool: 'issue_refund', input: { orderId: 'A1' } }] },
];

/** Writes a mail at once, and pays when somebody consents, for which it waits a month. */
export const agents = [
  defineAgent({
    name: 'clerk',
    description: 'Writes, then pays',
    model: 'scripted/clerk',
    instructions: 'Write, then pay.',
    tools: [sendEmail, issueRefund],
    asks: { expiresAfterSeconds: 30 * 24 * 3600 },
    script: ({ turn }) => TURNS[turn] ?? { text: 'Done.' },
  }),
];
