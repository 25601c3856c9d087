import * as z from 'zod';
import { defineAgent } from '../../shared/agent.ts';
import { askUser } from '../../shared/ask-user.ts';
import { NoEffectError } from '../../shared/errors.ts';
import { file } from '../../shared/file.ts';
import type { Script } from '../../shared/model.ts';
import type { ApprovalNeed } from '../../shared/record.ts';
import { setPlan } from '../../shared/set-plan.ts';
import { defineTool, pending } from '../../shared/tool.ts';
import { PIXEL, pngOf } from '../support/pictures.ts';
import { largeText } from './large-text.ts';
import { SCRIPTS } from './scripts.ts';
import { askWorld } from './world.ts';

const input = z.object({ item: z.string(), holdMs: z.number().optional() });

const lookUp = defineTool({
  name: 'look_up',
  description: 'Reads an item',
  effect: 'read',
  input,
  execute: ({ item }, { key }) => askWorld('/read', { key, name: 'look_up', input: item }),
});

const failRead = defineTool({
  name: 'fail_read',
  description: 'Reads and fails',
  effect: 'read',
  input,
  execute: async ({ item }, { key }) => {
    await askWorld('/read', { key, name: 'fail_read', input: item });
    throw new Error(`Cannot read "${item}": it is locked`);
  },
});

const payIdempotent = defineTool({
  name: 'pay_idempotent',
  description: 'Pays where the same key pays once',
  effect: 'idempotent',
  input,
  execute: ({ item, holdMs }, { key, signal }) =>
    askWorld('/apply', { key, name: 'pay_idempotent', input: item, dedupe: true, ...(holdMs ? { holdMs } : {}) }, signal),
});

/** Its receipt fits no item. */
const payLargely = defineTool({
  name: 'pay_largely',
  description: 'Pays where the same key pays once, and gives a long receipt',
  effect: 'idempotent',
  input,
  execute: async ({ item }, { key }) => {
    const done = await askWorld('/apply', { key, name: 'pay_largely', input: item, dedupe: true });
    return { ...done, receipt: largeText(5_000_000) };
  },
});

const payReconcile = defineTool({
  name: 'pay_reconcile',
  description: 'Pays where one can ask whether it was paid',
  effect: 'reconcile',
  input,
  execute: ({ item, holdMs }, { key, signal }) =>
    askWorld('/apply', { key, name: 'pay_reconcile', input: item, ...(holdMs ? { holdMs } : {}) }, signal),
  find: async (key) => {
    const { known } = await askWorld('/find', { key, name: 'pay_reconcile', input: null });
    return known ? { happened: true, output: { done: 'pay_reconcile' } } : { happened: false };
  },
});

const payOnce = defineTool({
  name: 'pay_once',
  description: 'Pays where neither holds',
  effect: 'once',
  input,
  execute: ({ item, holdMs }, { key, signal }) =>
    askWorld('/apply', { key, name: 'pay_once', input: item, ...(holdMs ? { holdMs } : {}) }, signal),
});

const guarded = (name: string, terms: Omit<ApprovalNeed, 'reason'> = {}) =>
  defineTool({
    name,
    description: 'Pays with consent',
    effect: 'once',
    approval: () => ({ reason: 'It costs money', ...terms }),
    input,
    execute: ({ item }, { key }) => askWorld('/apply', { key, name, input: item }),
  });

const order = defineTool({
  name: 'order',
  description: 'Orders; the shop posts the delivery later',
  effect: 'idempotent',
  callback: {},
  input,
  execute: async ({ item }, { key, callbackUrl = '' }) => {
    await askWorld('/order', { key, name: 'order', input: item, dedupe: true, callbackUrl });
    return pending();
  },
});

const setKey = defineTool({
  name: 'set_key',
  description: 'Sets a key, with consent',
  effect: 'reconcile',
  approval: 'always',
  input: z.object({ provider: z.string(), key: z.string() }),
  secrets: ['key'],
  // Without its secret the effect has another name, which no story has.
  execute: async ({ key: secret }, { key }) => {
    const name = secret === 'sk-test-0000' ? 'set_key' : 'set_key without its secret';
    return { ...(await askWorld('/apply', { key, name, input: `with ${secret}` })), with: secret };
  },
  find: async (key, { key: secret }) => {
    const { known } = await askWorld('/find', { key, name: 'set_key', input: null });
    return known ? { happened: true, output: { done: 'set_key', with: secret } } : { happened: false };
  },
});

const refuse = defineTool({
  name: 'refuse',
  description: 'Fails and knows that nothing happened',
  effect: 'once',
  input,
  execute: ({ item }) => {
    throw new NoEffectError(`The bank refused "${item}"`);
  },
});

const throwAfter = (effect: 'idempotent' | 'once') =>
  defineTool({
    name: `throw_after_${effect}`,
    description: 'Fails once after its effect',
    effect,
    input,
    execute: async ({ item }, { key, attempt }) => {
      const done = await askWorld('/apply', { key, name: `throw_after_${effect}`, input: item, dedupe: effect === 'idempotent' });
      if (attempt === 1) throw new Error('The connection was cut after the request');
      return done;
    },
  });

const lookAt = defineTool({
  name: 'look_at',
  description: 'Reads a picture',
  effect: 'read',
  input,
  execute: async ({ item }, { key }) => {
    await askWorld('/read', { key, name: 'look_at', input: item });
    return file({ bytes: PIXEL, mediaType: 'image/png', name: 'pixel.png' });
  },
});

const photograph = defineTool({
  name: 'photograph',
  description: 'Takes two pictures, for money: the same key is paid once',
  effect: 'idempotent',
  input,
  execute: async ({ item }, { key }) => {
    const done = await askWorld('/apply', { key, name: 'photograph', input: item, dedupe: true });
    return { ...done, pictures: [90, 91].map((side) => file({ bytes: pngOf(side, side, 200_000), mediaType: 'image/png' })) };
  },
});

const script: Script = (situation) => {
  const { story } = situation.input as { story: string };
  const play = SCRIPTS[story];
  if (!play) throw new Error(`There is no story "${story}"`);
  return play(situation);
};

export const agents = [
  defineAgent({
    name: 'story',
    description: 'Plays the stories of the tests',
    model: 'scripted/story',
    instructions: 'Play the story.',
    tools: [
      lookUp,
      lookAt,
      photograph,
      failRead,
      payIdempotent,
      payLargely,
      payReconcile,
      payOnce,
      refuse,
      throwAfter('idempotent'),
      throwAfter('once'),
      guarded('pay_guarded'),
      guarded('pay_two', { needs: 2 }),
      guarded('pay_mailed', { approvers: ['boss@example.test'] }),
      // Nobody after the next in line answers: they are there for machines that take longer than the clock.
      guarded('pay_next', {
        approvers: ['boss@example.test'],
        escalateTo: ['next@example.test', ...['cid', 'dee', 'eve', 'fay'].map((name) => `${name}@example.test`)],
        expiresInSeconds: 2,
      }),
      guarded('pay_soon', { approvers: ['boss@example.test'], expiresInSeconds: 1 }),
      order,
      setKey,
      askUser(),
    ],
    script,
  }),
  defineAgent({
    name: 'short-story',
    description: 'Plays stories that reach their budget',
    model: 'scripted/short-story',
    instructions: 'Play the story.',
    tools: [lookUp, payOnce],
    policy: { maxTurns: 1 },
    budgetPerDay: { tokens: 1_000_000_000 },
    script,
  }),
  defineAgent({
    name: 'long-story',
    description: 'Plays stories that outgrow their view',
    model: 'scripted/long-story',
    instructions: 'Play the story.',
    tools: [lookUp, payOnce, setPlan()],
    policy: { compaction: { atTokens: 1_000, keepTokens: 200 } },
    script,
  }),
];
