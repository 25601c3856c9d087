import * as z from 'zod';
import { defineAgent } from '../../shared/agent.ts';
import { askUser } from '../../shared/ask-user.ts';
import type { Json } from '../../shared/json.ts';
import type { Script } from '../../shared/model.ts';
import type { ApprovalNeed } from '../../shared/record.ts';
import { defineTool, pending } from '../../shared/tool.ts';
import { askWorld } from './world.ts';

const pay = (name: string, more: Omit<ApprovalNeed, 'reason'>) =>
  defineTool({
    name,
    description: 'Pays with consent',
    effect: 'once',
    input: z.object({ item: z.string() }),
    approval: () => ({ reason: 'It costs money', ...more }),
    execute: ({ item }, { key }) => askWorld('/apply', { key, name, input: item }),
  });

/** Pays without consent. */
const give = defineTool({
  name: 'give',
  description: 'Gives at once',
  effect: 'once',
  input: z.object({ item: z.string() }),
  execute: ({ item }, { key }) => askWorld('/apply', { key, name: 'give', input: item }),
});

/** Consent is needed once more than two items were paid for in the run. */
const payUpTo = defineTool({
  name: 'pay_up_to',
  description: 'Pays; the third time with consent',
  effect: 'once',
  input: z.object({ item: z.string() }),
  approval: (_, { earlier, turn }) => earlier().length >= 2 && { reason: `The third, in turn ${turn}` },
  execute: ({ item }, { key }) => askWorld('/apply', { key, name: 'pay_up_to', input: item }),
});

/** Tells the outside where to post the result. */
const order = (name: string, effect: 'idempotent' | 'once', callback: { expiresInSeconds?: number; heartbeatSeconds?: number }) =>
  defineTool({
    name,
    description: 'Orders; the result comes later',
    effect,
    input: z.object({ item: z.string() }),
    callback,
    execute: async ({ item }, { key, callbackUrl = '' }) => {
      await askWorld('/apply', { key, name, input: `${item} ${callbackUrl}`, dedupe: effect === 'idempotent' });
      return pending();
    },
  });

const payShop = defineTool({
  name: 'pay_shop',
  description: 'Pays an amount with consent, once for each bill',
  effect: 'once',
  input: z.object({ item: z.string(), cents: z.int().positive().max(1000).default(100) }),
  approval: 'always',
  key: ({ item }) => item,
  execute: ({ item, cents }, { key }) => askWorld('/apply', { key, name: 'pay_shop', input: `${item} for ${cents}` }),
});

const payReused = defineTool({
  name: 'pay_reused',
  description: 'Pays with consent, and never twice the same',
  effect: 'once',
  input: z.object({ item: z.string() }),
  approval: 'always',
  onRepeat: 'reuse',
  execute: ({ item }, { key }) => askWorld('/apply', { key, name: 'pay_reused', input: item }),
});

/** Asks for consent while a rule outside says so. */
const payRuled = defineTool({
  name: 'pay_ruled',
  description: 'Pays; a setting says whether with consent',
  effect: 'once',
  input: z.object({ item: z.string() }),
  approval: () => process.env.CONSENT_RULE === 'on',
  execute: ({ item }, { key }) => askWorld('/apply', { key, name: 'pay_ruled', input: item }),
});

/** What an agent with the whole web in its hands can do: the item is an address, to which a yes is posted. */
const press = defineTool({
  name: 'press',
  description: 'Posts a yes to an address',
  effect: 'read',
  input: z.object({ item: z.string() }),
  execute: async ({ item }) => {
    const body = new URLSearchParams({ 'decision.0': 'approve', p: '0', t: 'guessed', nonce: 'guessed' });
    const response = await fetch(item, { method: 'POST', body, redirect: 'manual' });
    return { status: response.status, text: (await response.text()).slice(0, 20_000) };
  },
});

const readSlowly = defineTool({
  name: 'read_slowly',
  description: 'Reads, and takes its time or fails',
  effect: 'read',
  input: z.object({ item: z.string() }),
  execute: async ({ item }, { key }) => {
    if (item === 'broken') throw new Error('The index is broken');
    return askWorld('/read', { key, name: 'read_slowly', input: item, holdMs: 300 });
  },
});

/** The input of the run is a list of replies, each a list of `tool item`. */
const fromInput: Script = ({ input, turn }) => {
  const line = (input as Json[])[turn];
  if (!Array.isArray(line)) return { text: 'Done.' };
  return { calls: (line as string[]).map(callOf) };
};

function callOf(each: string) {
  const [tool = '', ...words] = each.split(' ');
  const rest = words.join(' ');
  if (tool !== 'ask_user') return { tool, input: { item: rest } };
  const [question = '', ...options] = rest.split('|');
  return { tool, input: { question, ...(options.length > 0 ? { options } : {}) } };
}

export const agents = [
  defineAgent({
    name: 'payer',
    description: 'Pays',
    model: 'scripted/payer',
    instructions: 'Pay.',
    tools: [
      pay('pay', {}),
      pay('pay_soon', { expiresInSeconds: 1 }),
      pay('pay_ada', { approvers: ['ada@example.test', 'bob@example.test'] }),
      pay('pay_two', { approvers: ['ada@example.test', 'bob@example.test', 'cid@example.test'], needs: 2 }),
      pay('pay_spelled', { approvers: ['ada@example.test', 'Ada@Example.test', 'bob@example.test'], needs: 2 }),
      pay('pay_cid', { approvers: ['cid@example.test'] }),
      pay('pay_or_stop', { expiresInSeconds: 1, onExpiry: 'stop' }),
      pay('pay_next', { approvers: ['ada@example.test'], expiresInSeconds: 1, escalateTo: ['bob@example.test', 'cid@example.test'] }),
      give,
      payUpTo,
      payShop,
      payReused,
      order('order', 'once', {}),
      order('order_again', 'idempotent', {}),
      order('order_soon', 'once', { expiresInSeconds: 1 }),
      order('order_alive', 'once', { heartbeatSeconds: 1 }),
      askUser(),
      payRuled,
      press,
      readSlowly,
    ].filter(({ name }) => name !== process.env.GONE_TOOL),
    script: fromInput,
    asks: { approvers: ['boss@example.test'] },
  }),
];
