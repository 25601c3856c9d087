import * as z from 'zod';
import { defineAgent } from '../../shared/agent.ts';
import { NoEffectError } from '../../shared/errors.ts';
import type { RejectionCode, Script, ScriptedReply } from '../../shared/model.ts';
import { type AnyTool, defineTool, type ToolContext } from '../../shared/tool.ts';
import { askWorld } from '../runs/world.ts';
import { nested, noise } from './noise.ts';

/** Tells the world that a tool has run. */
const note = (name: string, { key }: ToolContext) => askWorld('/apply', { key, name, input: null });

const what = z.object({ what: z.string() });
const item = z.object({ item: z.string() });
const never = () => new Promise<never>(() => {});

/** Values that JSON changes, or does not take. */
const VALUES: Record<string, () => unknown> = {
  undefined: () => undefined,
  'a function': () => () => 1,
  'a symbol': () => Symbol('x'),
  'a bigint': () => ({ n: 10n }),
  'a circle': () => {
    const self: Record<string, unknown> = { name: 'me' };
    return Object.assign(self, { self });
  },
  'a toJSON that throws': () => ({
    toJSON: () => {
      throw new Error('not now');
    },
  }),
  'a getter that throws': () => ({
    get total() {
      throw new Error('no total');
    },
  }),
  'a date': () => ({ at: new Date(0) }),
  'an impossible date': () => new Date(Number.NaN),
  NaN: () => ({ n: Number.NaN, list: [Number.POSITIVE_INFINITY, undefined, () => 1] }),
  'nothing in a list': () => ['a', undefined, Number.NEGATIVE_INFINITY],
  'minus zero': () => ({ n: -0 }),
  'a buffer': () => Buffer.from('hi'),
  'a map': () => new Map([['a', 1]]),
  'an error': () => new Error('returned, not thrown'),
  blanks: () => ' \n ',
  'half a character': () => 'a\ud800b',
  'keys of every prototype': () => JSON.parse('{"__proto__":{"x":1},"constructor":2}'),
  '500 levels': () => JSON.parse(nested(500)),
  '501 levels': () => JSON.parse(nested(501)),
  '10,000 levels': () => JSON.parse(nested(10_000)),
  '20 MB': () => 'x'.repeat(20_000_000),
  '26 MB': () => 'x'.repeat(26_000_000),
  'what changes in 50 ms': () => {
    const changing = { state: 'as returned' };
    setTimeout(() => Object.assign(changing, { state: 'changed later' }), 50);
    return changing;
  },
};

const made = (name: string): unknown => VALUES[name]?.();

/** What a tool may throw. */
const THROWN: Record<string, () => unknown> = {
  'a text': () => 'out of paper',
  'an empty text': () => '',
  null: () => null,
  undefined: () => undefined,
  'a number': () => 42,
  'a symbol': () => Symbol('x'),
  'an object': () => ({ code: 7 }),
  'an object with a message': () => ({ message: 'no paper' }),
  'an object without prototype': () => Object.create(null),
  'a circle': () => VALUES['a circle']?.(),
  'an error without words': () => new RangeError(),
  'an error with a number for a message': () => Object.assign(new Error(), { message: 42 }),
  'an error that throws when it is looked at': () =>
    Object.defineProperty(new Error(), 'message', {
      get() {
        throw new Error('do not look');
      },
    }),
  'an error that throws when it is named': () =>
    Object.defineProperty({}, 'name', {
      get() {
        throw new Error('do not look');
      },
    }),
  'a message of 1 MB': () => new Error('m'.repeat(1_000_000)),
  'no effect': () => new NoEffectError('the bank was closed'),
};

const give = (effect: 'read' | 'once') =>
  defineTool({
    name: effect === 'read' ? 'give' : 'give_once',
    description: 'Returns what it is told to',
    effect,
    input: what,
    execute: async ({ what }, context) => {
      await note('give', context);
      return made(what);
    },
  });

const fail = (effect: 'read' | 'once') =>
  defineTool({
    name: effect === 'read' ? 'fail' : 'fail_once',
    description: 'Throws what it is told to',
    effect,
    input: what,
    execute: async ({ what }, context) => {
      await note('fail', context);
      throw THROWN[what]?.();
    },
  });

/** A tool that does something at once or never comes back, tried once. */
const odd = (name: string, execute: (context: ToolContext) => unknown, effect: 'read' | 'once' = 'read') =>
  defineTool({
    name,
    description: name,
    effect,
    timeoutSeconds: 1,
    maxAttempts: 1,
    input: z.object({}),
    execute: async (_, context) => {
      await note(name, context);
      return execute(context);
    },
  });

const pay = (name: string, more: object = {}) =>
  defineTool({
    name,
    description: 'Pays',
    effect: 'once',
    input: z.object({ item: z.string(), cents: z.int().positive().optional() }),
    execute: async (input: object, context: ToolContext) => {
      await note(name, context);
      return { paid: input };
    },
    ...more,
  } as AnyTool);

const throwing = (words: string) => () => {
  throw new Error(words);
};

const found = (name: string, find: () => unknown) =>
  defineTool({
    name,
    description: 'Loses its answer',
    effect: 'reconcile',
    input: item,
    execute: async (_: object, context: ToolContext) => {
      await note(name, context);
      throw new Error('the answer was lost');
    },
    find,
  } as unknown as AnyTool);

const tools: AnyTool[] = [
  defineTool({
    name: 'list_orders',
    description: 'Lists',
    effect: 'read',
    input: z.object({}),
    execute: async (_, context) => {
      await note('list_orders', context);
      return [];
    },
  }),
  defineTool({
    name: 'look_up',
    description: 'Reads',
    effect: 'read',
    input: item,
    execute: async ({ item }, context) => {
      await note('look_up', context);
      return item;
    },
  }),
  defineTool({
    name: 'take_any',
    description: 'Takes any JSON',
    effect: 'read',
    input: z.object({ value: z.json() }),
    execute: async ({ value }, context) => {
      await note('take_any', context);
      return JSON.stringify(value).length;
    },
  }),
  defineTool({
    name: 'many',
    description: 'Takes numbers',
    effect: 'read',
    input: z.object({ numbers: z.array(z.number()) }),
    execute: () => 'never',
  }),
  defineTool({
    name: 'mutate',
    description: 'Changes its arguments',
    effect: 'once',
    input: z.object({ list: z.array(z.string()) }),
    execute: async (input, context) => {
      await note('mutate', context);
      input.list.push('added by the tool');
      return input.list.length;
    },
  }),
  defineTool({
    name: 'transform_throws',
    description: 'Has a schema that throws',
    effect: 'once',
    input: z.object({ item: z.string().transform(throwing('the schema broke')) }),
    execute: () => 'never',
  }),
  defineTool({
    name: 'transform_bigint',
    description: 'Has a schema that makes no JSON',
    effect: 'once',
    input: z.object({ item: z.string().transform(BigInt) }),
    execute: () => 'never',
  }),
  defineTool({
    name: 'refine_later',
    description: 'Has a schema that must be waited for',
    effect: 'once',
    input: z.object({ item: z.string().refine(async () => true) }),
    execute: () => 'never',
  }),
  give('read'),
  give('once'),
  fail('read'),
  fail('once'),
  odd('hang', never),
  odd('hang_once', never, 'once'),
  odd('exit', () => process.exit(0)),
  odd('exit_once', () => process.exit(0), 'once'),
  odd('float', () => {
    void Promise.reject(new Error('nobody listens'));
    return never();
  }),
  odd(
    'log_badly',
    ({ log }) => {
      log('about to say', { circle: made('a circle') as never, n: 10n as never });
      log(undefined as never);
      return 'logged';
    },
    'once',
  ),
  pay('pay'),
  pay('pay_guarded', { approval: 'always' }),
  pay('policy_throws', { approval: throwing('the rule broke') }),
  pay('policy_promise', { approval: async () => false }),
  pay('policy_rejects', { approval: () => Promise.reject(new Error('the rule broke')) }),
  pay('policy_nothing', { approval: () => undefined }),
  pay('policy_empty', { approval: () => ({}) }),
  pay('policy_long', { approval: () => ({ reason: 'r'.repeat(100_000) }) }),
  pay('policy_mutates', {
    approval: (input: { cents?: number }) => {
      input.cents = 1;
      return false;
    },
  }),
  pay('key_throws', { key: throwing('no key today') }),
  pay('key_undefined', { key: () => undefined }),
  pay('key_promise', { key: async ({ item }: { item: string }) => item }),
  pay('key_rejects', { key: () => Promise.reject(new Error('no key today')) }),
  pay('key_blank', { key: () => ' ' }),
  pay('key_object', { key: (input: object) => input }),
  pay('key_long', { key: () => 'k'.repeat(1_001) }),
  found('find_throws', throwing('the bank is closed')),
  found('find_rubbish', () => 'yes'),
  found('find_null', () => null),
  found('find_maybe', () => ({ happened: 'true' })),
  found('find_circle', () => ({ happened: true, output: made('a circle') })),
];

/** Scripts that are no good. */
const RUBBISH: Record<string, () => unknown> = {
  throws: throwing('line 3'),
  'throws nothing': () => {
    throw undefined;
  },
  'returns nothing': () => undefined,
  'returns a promise': async () => ({ text: 'Hello.' }),
  'returns a promise that fails': () => Promise.reject(new Error('line 4')),
  'returns a number for a text': () => ({ text: 42 }),
  'returns calls without a tool': () => ({ calls: [{ input: {} }] }),
  'returns a word for how it ended': () => ({ finish: 'done' }),
  'returns a wait that is no number': () => ({ overloaded: 'busy', waitSeconds: Number.NaN }),
};

/** Plays the replies of the run's input, or the rubbish that it names. */
const script: Script = ({ input, turn }) => {
  if (typeof input === 'string') return RUBBISH[input]?.() as ScriptedReply;
  const reply = (input as unknown as Made[])[turn] ?? { text: 'Done.' };
  if ('repeat' in reply) return { calls: Array.from({ length: reply.times }, () => reply.repeat) };
  return 'noise' in reply ? { text: noise(reply.noise) } : 'long' in reply ? { text: 'x'.repeat(reply.long) } : reply;
};

/** A reply, or how to make one that is too large for an input. */
export type Made =
  | ScriptedReply
  | { repeat: NonNullable<Extract<ScriptedReply, { calls?: unknown }>['calls']>[number]; times: number }
  | { noise: number }
  | { long: number };

const agent = (name: string, more: object = {}) =>
  defineAgent({ name, description: name, model: `scripted/${name}`, instructions: 'Play.', tools, script, ...more });

export const agents = [
  agent('plays'),
  agent('tries-twice', { policy: { maxModelAttempts: 2 } }),
  agent('mended', {
    // A message says that the fault is mended.
    script: (({ messages, input }) =>
      messages.length === 0 ? { rejected: input as RejectionCode, reason: `It is ${input}.` } : { text: 'Done.' }) satisfies Script,
  }),
];
