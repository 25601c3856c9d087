import { describe, expect, it } from 'vitest';
import { resolveModel } from '../../../../lambdas/lib/model/resolve-model.ts';

const key = { ANTHROPIC_API_KEY: 'key' };

describe('resolveModel() names', () => {
  it.each([
    ['HOLDFAST_MODEL before all else', 'anthropic/claude-x', true, { ...key, HOLDFAST_MODEL: ' openai/gpt-x ' }, 'openai/gpt-x'],
    ["the agent's model when its key is there", 'anthropic/claude-x', true, key, 'anthropic/claude-x'],
    ['the script when the key is missing', 'anthropic/claude-x', true, {}, 'scripted/refunds'],
    ['the script when the key is blank', 'anthropic/claude-x', true, { ANTHROPIC_API_KEY: ' ' }, 'scripted/refunds'],
    ["the agent's model when there is neither", 'anthropic/claude-x', false, {}, 'anthropic/claude-x'],
    ['the script of an agent that is only scripted', 'scripted/refunds', true, key, 'scripted/refunds'],
    ['the scripted model without its script', 'scripted/refunds', false, key, 'scripted/refunds'],
    ['the script when only AWS credentials are there', 'bedrock/nova', true, { AWS_ACCESS_KEY_ID: 'x' }, 'scripted/refunds'],
    ["the agent's model when a secret holds the keys", 'openai/gpt-x', true, { HOLDFAST_MODEL_KEYS: 'keys' }, 'openai/gpt-x'],
    [
      'the script of an agent that is only scripted, whatever a secret holds',
      'scripted/refunds',
      true,
      { HOLDFAST_MODEL_KEYS: 'keys' },
      'scripted/refunds',
    ],
    ['nothing by an empty HOLDFAST_MODEL', 'anthropic/claude-x', true, { ...key, HOLDFAST_MODEL: '' }, 'anthropic/claude-x'],
  ] as const)('%s', (_, model, hasScript, variables, expected) => {
    expect(resolveModel(model, hasScript, 'refunds', variables)).toBe(expected);
  });
});
