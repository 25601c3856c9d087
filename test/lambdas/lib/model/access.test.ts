import { describe, expect, it } from 'vitest';
import { accessFault, hasAccess } from '../../../../lambdas/lib/model/access.ts';

const KEY = 'sk-ant-secret-0123456789';
const claude = { provider: 'anthropic', id: 'claude-x' } as const;
const nova = { provider: 'bedrock', id: 'amazon.nova' } as const;
const llama = { provider: 'openai-compatible', id: 'llama' } as const;

describe('hasAccess() sees', () => {
  const aws = { AWS_ACCESS_KEY_ID: 'invented', AWS_SECRET_ACCESS_KEY: 'invented', AWS_REGION: 'eu-west-1' };
  it.each([
    ['no provider in an empty environment', 'anthropic', {}, false],
    ['a key', 'anthropic', { ANTHROPIC_API_KEY: KEY }, true],
    ['no key in blanks', 'openai', { OPENAI_API_KEY: ' \n' }, false],
    ["no key in another provider's", 'openai', { ANTHROPIC_API_KEY: KEY }, false],
    ['no Bedrock in AWS credentials alone', 'bedrock', aws, false],
    ['Bedrock when it is turned on', 'bedrock', { ...aws, HOLDFAST_BEDROCK: '1' }, true],
    ['Bedrock by its own key', 'bedrock', { AWS_BEARER_TOKEN_BEDROCK: 'token' }, true],
    ['a compatible server by its address, without a key', 'openai-compatible', { OPENAI_COMPATIBLE_BASE_URL: 'http://127.0.0.1:1' }, true],
    ['no compatible server in a key alone', 'openai-compatible', { OPENAI_COMPATIBLE_API_KEY: 'key' }, false],
  ] as const)('%s', (_, provider, variables, expected) => {
    expect(hasAccess(provider, variables)).toBe(expected);
  });
});

describe('accessFault() finds', () => {
  it.each([
    ['nothing wrong with a key and a line break after it', claude, { ANTHROPIC_API_KEY: `${KEY}\n` }, undefined, ''],
    ['a missing key', claude, {}, 'missing-key', 'ANTHROPIC_API_KEY'],
    ['an empty key', claude, { ANTHROPIC_API_KEY: '' }, 'missing-key', 'ANTHROPIC_API_KEY'],
    ['a line break inside a key', claude, { ANTHROPIC_API_KEY: `${KEY}\n${KEY}` }, 'authentication', 'ANTHROPIC_API_KEY'],
    ['a key of other letters', claude, { ANTHROPIC_API_KEY: 'schlüssel' }, 'authentication', 'ANTHROPIC_API_KEY'],
    ['an empty address', claude, { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: '' }, 'bad-request', 'ANTHROPIC_BASE_URL'],
    [
      'an address that is none',
      claude,
      { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: 'localhost:80' },
      'bad-request',
      'ANTHROPIC_BASE_URL',
    ],
    ['a compatible server without an address', llama, {}, 'missing-key', 'OPENAI_COMPATIBLE_BASE_URL'],
    ['Bedrock not turned on', nova, {}, 'missing-key', 'HOLDFAST_BEDROCK'],
    ['Bedrock without a region', nova, { AWS_BEARER_TOKEN_BEDROCK: 'token' }, 'missing-key', 'AWS_REGION'],
    ['Bedrock without credentials', nova, { HOLDFAST_BEDROCK: '1', AWS_REGION: 'x' }, 'missing-key', 'AWS_ACCESS_KEY_ID'],
    ['nothing wrong with Bedrock by its own key', nova, { AWS_BEARER_TOKEN_BEDROCK: 'token', AWS_REGION: 'x' }, undefined, ''],
  ] as const)('%s', (_, name, variables, code, variable) => {
    const fault = accessFault(name, variables);
    expect(fault?.code).toBe(code);
    expect(fault?.reason ?? '').toContain(variable);
    expect(fault?.reason ?? '').not.toMatch(/secret|schl|\n/);
  });
});

it('accessFault() names the secret where keys are looked for, if there is one', () => {
  const fault = accessFault(claude, { HOLDFAST_MODEL_KEYS: 'desk/keys' });
  expect(fault?.reason).toBe(
    'Cannot ask anthropic/claude-x: ANTHROPIC_API_KEY is not set, or is empty, in secret "desk/keys" or in the environment of the model step; set it, then resume the run',
  );
});
