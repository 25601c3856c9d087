import * as z from 'zod';
import { defineAgent } from '../../shared/agent.ts';
import { defineTool } from '../../shared/tool.ts';

const pay = defineTool({
  name: 'pay',
  description: 'Pays an invoice',
  effect: 'idempotent',
  input: z.object({ invoice: z.string(), cents: z.int().positive() }),
  approval: ({ cents }) => cents > 10_000 && { reason: 'More than 100 EUR' },
  timeoutSeconds: 20,
  execute: async ({ invoice, cents }, { key, signal }) => {
    const headers = { 'idempotency-key': key };
    const response = await fetch('https://bank.example/payments', {
      method: 'POST',
      headers,
      signal,
      body: JSON.stringify({ invoice, cents }),
    });
    return (await response.json()) as { receipt: string };
  },
});

export const bookkeeper = defineAgent({
  name: 'bookkeeper',
  description: 'Pays invoices',
  model: 'anthropic/claude-sonnet-5-5',
  instructions: 'Pay what you are asked to pay. Never guess an amount.',
  tools: [pay],
});
