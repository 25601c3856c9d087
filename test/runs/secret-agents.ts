import * as z from 'zod';
import { defineAgent } from '../../shared/agent.ts';
import { NoEffectError } from '../../shared/errors.ts';
import type { Json } from '../../shared/json.ts';
import type { ScriptedReply } from '../../shared/model.ts';
import { defineTool, pending } from '../../shared/tool.ts';
import { askWorld } from './world.ts';

const input = z.object({
  provider: z.string(),
  key: z.string(),
  account: z.object({ pin: z.number() }).optional(),
  holdMs: z.number().optional(),
});
const secrets = ['key', 'account.pin'];

const setKey = (name: string, approval: 'never' | 'always') =>
  defineTool({
    name,
    description: 'Sets a key, and says it again in every way it can',
    effect: 'idempotent',
    input,
    secrets,
    approval: approval === 'never' ? approval : ({ key }) => ({ reason: `It sets ${key}`, approvers: ['boss@example.test'] }),
    execute: async (given, { key, log }) => {
      log(`Setting ${given.key}`, { given: given.key });
      await askWorld('/apply', { key, name, input: given as Json, dedupe: true, ...(given.holdMs ? { holdMs: given.holdMs } : {}) });
      return { set: given.key, said: `It is ${given.key} and ${given.account?.pin}`, provider: given.provider };
    },
  });

const refuseKey = defineTool({
  name: 'refuse_key',
  description: 'Refuses a key',
  effect: 'once',
  input,
  secrets,
  execute: ({ key }) => {
    throw new NoEffectError(`The provider refused "${key}"`);
  },
});

const breakKey = (name: string, effect: 'once' | 'idempotent') =>
  defineTool({
    name,
    description: 'Breaks in the middle',
    effect,
    input,
    secrets,
    maxAttempts: 1,
    execute: ({ key }) => {
      throw new Error(`The connection was cut at "${key}"`);
    },
  });

const orderKey = defineTool({
  name: 'order_key',
  description: 'Has a key set; the result comes later',
  effect: 'idempotent',
  callback: {},
  input,
  secrets,
  secretOutput: ['token'],
  execute: async (_, { key, callbackUrl = '', log }) => {
    log(`Ordered at ${callbackUrl}`);
    await askWorld('/apply', { key, name: 'order_key', input: callbackUrl, dedupe: true });
    return pending();
  },
});

const makeKey = defineTool({
  name: 'make_key',
  description: 'Makes a key',
  effect: 'read',
  input: z.object({}),
  secretOutput: ['token', 'all.*.pin'],
  execute: () => ({ token: 'tok-11112222', name: 'main', all: [{ pin: 4711 }], said: 'It is tok-11112222' }),
});

const keyed = defineTool({
  name: 'keyed',
  description: 'Sets a key once, by the key',
  effect: 'once',
  input,
  secrets,
  key: ({ key }) => `set ${key}`,
  execute: () => 'set',
});

/** Plays the turns that it is given. */
interface Play {
  readonly turns: readonly {
    readonly text?: string;
    readonly calls: readonly { readonly tool: string; readonly input: Record<string, Json> }[];
  }[];
}

export const agents = [
  defineAgent({
    name: 'keeper',
    description: 'Sets keys',
    model: 'scripted/keeper',
    instructions: 'Set what you are told.',
    tools: [
      setKey('set_key', 'never'),
      setKey('set_key_asked', 'always'),
      refuseKey,
      breakKey('break_key', 'once'),
      breakKey('break_again', 'idempotent'),
      orderKey,
      makeKey,
      keyed,
    ],
    script: ({ input: task, turn }): ScriptedReply => (unwrapped(task).turns[turn] as ScriptedReply | undefined) ?? { text: 'Done.' },
  }),
];

/** A task must not hold the secret in clear itself. */
export const wrapped = (play: Play): string => Buffer.from(JSON.stringify(play)).toString('base64');
const unwrapped = (task: Json): Play => JSON.parse(Buffer.from(String(task), 'base64').toString()) as Play;
