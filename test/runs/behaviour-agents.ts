import * as z from 'zod';
import { type AgentDefinition, defineAgent } from '../../shared/agent.ts';
import type { Json } from '../../shared/json.ts';
import type { Script, ScriptedReply } from '../../shared/model.ts';
import { type AnyTool, defineTool } from '../../shared/tool.ts';
import { askWorld } from './world.ts';

const input = z.object({ item: z.string() });
const apply =
  (name: string) =>
  (given: { item: string }, { key }: { key: string }) =>
    askWorld('/apply', { key, name, input: given.item });

const lookUp = defineTool({
  name: 'look_up',
  description: 'Reads',
  effect: 'read',
  input,
  execute: ({ item }, { key }) => askWorld('/apply', { key, name: 'look_up', input: item }),
});

const fail = defineTool({
  name: 'fail',
  description: 'Always fails',
  effect: 'read',
  input,
  execute: async ({ item }, { key }) => {
    await askWorld('/apply', { key, name: 'fail', input: item });
    throw new Error('the shelf is empty');
  },
});

/** Kills its process each time it is run: a crash that no handler can catch. */
const die = async (name: string, item: string, key: string): Promise<never> => {
  await askWorld('/apply', { key, name, input: item });
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => {});
};
const dieReading = defineTool({
  name: 'die_reading',
  description: 'Dies',
  effect: 'read',
  input,
  execute: ({ item }, { key }) => die('die_reading', item, key),
});
const dieWriting = defineTool({
  name: 'die_writing',
  description: 'Dies',
  effect: 'idempotent',
  input,
  execute: ({ item }, { key }) => die('die_writing', item, key),
});

const hang = defineTool({
  name: 'hang',
  description: 'Never returns',
  effect: 'read',
  timeoutSeconds: 1,
  input,
  execute: () => new Promise(() => {}),
});
const block = defineTool({
  name: 'block',
  maxAttempts: 1,
  description: 'Blocks its thread',
  effect: 'read',
  timeoutSeconds: 1,
  input,
  execute: () => {
    for (;;);
  },
});

/** Blocks it after its effect: neither the tool nor its step comes to an end. */
const blockOnce = defineTool({
  name: 'block_once',
  description: 'Pays, and blocks its thread',
  effect: 'once',
  timeoutSeconds: 1,
  input,
  execute: async ({ item }, { key }) => {
    await askWorld('/apply', { key, name: 'block_once', input: item });
    for (;;);
  },
});

const pay = (name: string, more: Partial<Record<'onRepeat' | 'key', unknown>> = {}) =>
  defineTool({ name, description: 'Pays', effect: 'once', input, execute: apply(name), ...more } as AnyTool);
const payAlways = pay('pay');
const payReuse = pay('pay_reuse', { onRepeat: 'reuse' });
const payAsk = pay('pay_ask', { onRepeat: 'ask' });
const payOrder = pay('pay_order', { key: ({ item }: { item: string }) => item });
/** Of `<bill>/<amount>` the bill alone is the key. */
const payBill = pay('pay_bill', { key: ({ item }: { item: string }) => item.split('/')[0] as string });

/** Its answer is lost for as long as the input of the run says; the same key is used each time. */
const payLost = defineTool({
  name: 'pay_lost',
  description: 'Pays, and its answer gets lost',
  effect: 'idempotent',
  maxAttempts: 1,
  input,
  execute: async ({ item }, { key }) => {
    await askWorld('/apply', { key, name: 'pay_lost', input: item, dedupe: true });
    throw new Error('the answer was lost');
  },
});

/** Takes a while after its effect. */
const paySlow = (name: string, effect: 'idempotent' | 'once', more: object = {}) =>
  defineTool({
    name,
    description: 'Pays slowly',
    effect,
    input,
    execute: ({ item }: { item: string }, { key }: { key: string }) => askWorld('/apply', { key, name, input: item, holdMs: 1500 }),
    ...more,
  } as AnyTool);
const byItem = { key: ({ item }: { item: string }) => item };
const slowTools = [
  paySlow('slow_once', 'once'),
  paySlow('slow_idempotent', 'idempotent'),
  paySlow('slow_once_order', 'once', byItem),
  paySlow('slow_idempotent_order', 'idempotent', byItem),
];

const call = (tool: string, item = 'a') => ({ tool, input: { item } });
const inOrder =
  (...replies: ScriptedReply[]): Script =>
  ({ turn }) =>
    replies[turn] ?? { text: 'Done.' };

const agent = (name: string, tools: AnyTool[], script: Script, more: Partial<AgentDefinition> = {}) =>
  defineAgent({ name, description: name, model: 'scripted/test', instructions: 'Play.', tools, script, ...more });

/** The script of the run's input: a list of replies, each a list of `tool` or `tool item`, or a text. */
const fromInput: Script = ({ input: lines, turn }) => {
  const line = (lines as Json[])[turn] ?? 'Done.';
  if (typeof line === 'string') return { text: line };
  return { calls: (line as string[]).map((each) => call(each.split(' ')[0] as string, each.split(' ')[1])) };
};

const allTools = [
  lookUp,
  fail,
  dieReading,
  dieWriting,
  hang,
  block,
  blockOnce,
  payAlways,
  payReuse,
  payAsk,
  payOrder,
  payBill,
  payLost,
  ...slowTools,
];

export const agents = [
  agent('any', allTools, fromInput),
  agent('short', allTools, () => ({ calls: [call('look_up', 'a'), call('look_up', 'b'), call('pay', 'c')] }), { policy: { maxTurns: 5 } }),
  agent('forever', allTools, () => ({ calls: [call('fail')] })),
  agent('dying-model', [], () => process.kill(process.pid, 'SIGKILL') && { text: '' }, { policy: { maxModelAttempts: 2 } }),
  agent('refused', [], inOrder({ finish: 'refused' })),
  agent('silent', [], () => ({})),
  agent('cut', allTools, () => ({ finish: 'cut', calls: [call('look_up'), { tool: 'pay', rawInput: '{"item":"a' }] })),
  agent('cut-text', [], () => ({ finish: 'cut', text: 'As I was say' })),
  agent('busy-model', [], ({ attempt }) => (attempt < 2 ? { overloaded: 'the provider answered 529', waitSeconds: 3 } : { text: 'Done.' })),
  agent('billing', [], () => ({ rejected: 'billing', reason: 'The balance is used up. Top it up.' })),
  agent('echo', allTools, ({ messages, turn }) => ({ text: turn === 0 ? 'Hello.' : `You said: ${messages.join(' | ')}` })),
];
