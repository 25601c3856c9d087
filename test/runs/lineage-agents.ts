import * as z from 'zod';
import { defineAgent } from '../../shared/agent.ts';
import type { Json } from '../../shared/json.ts';
import type { Script } from '../../shared/model.ts';
import { setPlan } from '../../shared/set-plan.ts';
import { type AnyTool, defineTool, pending, type ToolContext } from '../../shared/tool.ts';
import { askWorld } from './world.ts';

const input = z.object({ item: z.string() });

const pay = (name: string, more: object = {}): AnyTool =>
  defineTool({
    name,
    description: 'Pays',
    effect: 'once',
    input,
    execute: ({ item }: { item: string }, { key, signal }: ToolContext) =>
      askWorld('/apply', { key, name, input: item, dedupe: name === 'pay_idempotent' }, signal),
    ...more,
  } as AnyTool);

const payReconcile = pay('pay_reconcile', {
  effect: 'reconcile',
  find: async (key: string) => {
    const { known } = await askWorld('/find', { key, name: 'pay_reconcile', input: null });
    return known ? { happened: true, output: { done: 'found' } } : { happened: false };
  },
});

const lookUp = defineTool({
  name: 'look_up',
  description: 'Reads',
  effect: 'read',
  input,
  execute: ({ item }, { key }) => askWorld('/read', { key, name: 'look_up', input: item }),
});

/** The result comes when the test posts it. */
const order = defineTool({
  name: 'order',
  description: 'Orders; the delivery is told later',
  effect: 'once',
  callback: {},
  input,
  execute: async ({ item }, { key, callbackUrl = '' }) => {
    await askWorld('/apply', { key, name: 'order', input: [item, callbackUrl] });
    return pending();
  },
});

/** The script of the run's input: a list of replies, each a list of `tool item`, or a text; a message `say tool item` adds a call. */
const fromInput: Script = ({ input: lines, turn, messages }) => {
  const said = messages.at(-1);
  const line = said === undefined ? ((lines as Json[])[turn] ?? 'Done.') : said.split(', ');
  if (typeof line === 'string') return { text: line };
  return { calls: (line as string[]).map(callOf) };
};

function callOf(line: string) {
  const [tool = '', item = 'a'] = line.split(' ');
  return tool === 'set_plan' ? { tool, input: { items: [{ text: `Pay ${item}`, status: 'doing' }] } } : { tool, input: { item } };
}

const tools = [
  lookUp,
  order,
  payReconcile,
  setPlan(),
  pay('pay'),
  pay('pay_idempotent', { effect: 'idempotent' }),
  pay('pay_reuse', { onRepeat: 'reuse' }),
  pay('pay_ask', { onRepeat: 'ask' }),
  pay('pay_guarded', { approval: 'always' }),
  pay('pay_order', { key: ({ item }: { item: string }) => item }),
];

export const agents = [
  defineAgent({ name: 'payer', description: 'Pays', model: 'scripted/payer', instructions: 'Pay.', tools, script: fromInput }),
];
