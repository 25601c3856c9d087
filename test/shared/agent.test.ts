import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type AgentDefinition, defineAgent, findAgent } from '../../shared/agent.ts';
import { DeclarationError } from '../../shared/errors.ts';
import { defineTool } from '../../shared/tool.ts';

const tool = (name: string) => defineTool({ name, description: 'It looks', input: z.object({}), effect: 'read', execute: () => 1 });
const desk: AgentDefinition = { name: 'desk', description: 'A desk', model: 'scripted/desk', instructions: '', tools: [tool('look')] };
const declaring = (more: object) => () => defineAgent({ ...desk, ...more } as never);

describe('defineAgent()', () => {
  test('defineAgent() fills in the limits that its author leaves out', () => {
    expect(defineAgent(desk).policy).toEqual({ maxTurns: 500, maxAttempts: 3, maxModelAttempts: 8, maxBadReplies: 3 });
    expect(defineAgent({ ...desk, policy: { maxTurns: 5 } }).policy).toMatchObject({ maxTurns: 5, maxAttempts: 3 });
  });

  test('defineAgent() takes agents without tools, and models with slashes and dots in their ids', () => {
    for (const more of [{ tools: [] }, { model: 'bedrock/eu.anthropic.claude/v1:0' }, { name: 'A-1' }])
      expect(declaring(more)).not.toThrow();
  });

  test('defineAgent() takes any JSON for a provider', () => {
    const modelSettings = { maxOutputTokens: 100, providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 5 } } } };
    expect(defineAgent({ ...desk, modelSettings }).modelSettings).toEqual(modelSettings);
  });

  test('defineAgent() takes mail addresses and declared webhooks for approvers', () => {
    const asks = { approvers: ['ada@example.com', 'webhook:ops'], webhooks: { ops: 'https://hooks.example/secret' } };
    expect(defineAgent({ ...desk, asks }).asks).toEqual(asks);
  });

  const NAME = 'its name must be 1 to 40 letters, digits or "-"';
  const MODEL = 'its model must be "<provider>/<model id>", not';

  test.each([
    [{ name: '' }, `Cannot use agent "": ${NAME}`],
    [{ name: 'the_desk' }, `Cannot use agent "the_desk": ${NAME}`],
    [{ name: 'a'.repeat(41) }, `Cannot use agent "${'a'.repeat(41)}": ${NAME}`],
    [{ model: 'claude' }, `Cannot use agent "desk": ${MODEL} "claude"`],
    [{ model: 'anthropic/' }, `Cannot use agent "desk": ${MODEL} "anthropic/"`],
    [{ model: undefined }, `Cannot use agent "desk": ${MODEL} "undefined"`],
    [{ instructions: undefined }, 'Cannot use agent "desk": it needs instructions'],
    [{ tools: undefined }, 'Cannot use agent "desk": it needs a list of tools (which may be empty)'],
    [{ tools: [tool('a'), tool('b'), tool('a')] }, 'Cannot use agent "desk": two of its tools are named "a"'],
    [{ policy: { maxTurns: 0 } }, 'Cannot use agent "desk": policy.maxTurns: Too small: expected number to be >0'],
    [{ policy: { maxTurns: 1.5 } }, 'Cannot use agent "desk": policy.maxTurns: Invalid input: expected int, received number'],
    [{ asks: { confirmHighRisk: true } }, 'Cannot use agent "desk": asks.confirmHighRisk must be "code", not "true"'],
    [
      { asks: { expiresAfterSeconds: Number.POSITIVE_INFINITY } },
      'Cannot use agent "desk": asks.expiresAfterSeconds must be a number above 0, not Infinity',
    ],
    [{ asks: { expiresAfterSeconds: 0 } }, 'Cannot use agent "desk": asks.expiresAfterSeconds must be a number above 0, not 0'],
    [{ asks: { approvers: ['ada'] } }, 'Cannot use agent "desk": asks.approvers: "ada" is no mail address'],
    [
      { asks: { approvers: ['webhook:ops'], webhooks: {} } },
      'Cannot use agent "desk": asks.approvers: "webhook:ops" names no webhook of the agent: declare it in asks.webhooks',
    ],
    [
      { asks: { webhooks: { ops: 'http://hooks.example/' } } },
      'Cannot use agent "desk": asks.webhooks: the address of "ops" must be an https one without user and password (http only on this machine)',
    ],
    [
      { asks: { approvers: Array.from({ length: 101 }, (_, i) => `a${i}@example.com`) } },
      'Cannot use agent "desk": asks.approvers: at most 100 can be written to, not 101',
    ],
  ])('defineAgent() says what is wrong with %o', (more, message) => {
    expect(declaring(more)).toThrow(new DeclarationError(message));
  });

  test('defineAgent() names every limit that is wrong', () => {
    expect(declaring({ policy: { maxTurns: 0, maxAttempts: 'many' } })).toThrow(/policy\.maxTurns: .*; policy\.maxAttempts: /);
  });

  test('defineAgent() says what is wrong with nothing at all', () => {
    expect(() => defineAgent(undefined as never)).toThrow(new DeclarationError(`Cannot use agent "undefined": ${NAME}`));
  });
});

test('findAgent() finds an agent by its very name', () => {
  const agents = [defineAgent(desk), defineAgent({ ...desk, name: 'shop' })];
  expect(findAgent(agents, 'shop')).toBe(agents[1]);
  expect(findAgent(agents, 'Shop')).toBeUndefined();
});
