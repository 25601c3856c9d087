import { describe, expect, it, vi } from 'vitest';
import { askModel } from '../../../../lambdas/lib/model.ts';
import { asReply, modelRequest } from '../../../support/model-request.ts';
import { DIALECTS } from '../../../support/provider-dialects.ts';
import { useProviderServer } from '../../../support/provider-environment.ts';
import { anthropicMessage, openaiResponse, text } from '../../../support/provider-server/answers.ts';
import type { Played } from '../../../support/provider-server.ts';

const here = useProviderServer();

const CLAUDE = 'anthropic/claude-x';
const NOVA = 'bedrock/us.amazon.nova-pro-v1:0';
const GPT = 'openai/gpt-5';
const LLAMA = 'openai-compatible/vendor/llama';

const anthropicError = (type: string, message: string) => ({ type: 'error', error: { type, message }, request_id: 'req_1' });
const openaiError = (code: string | number | null, message: string, type = 'invalid_request_error') => ({
  error: { message, type, param: null, code },
});
const aws = (errorType: string) => ({ 'x-amzn-errortype': `${errorType}:http://internal.amazon.com/` });

async function outcomeOf(model: string, played: Played) {
  here.provider.play(played);
  const outcome = await askModel(modelRequest(model));
  expect(here.provider.refusals).toEqual([]);
  if (outcome.kind === 'reply') throw new Error('A reply, where a fault was played');
  return outcome;
}

describe('askModel() calls it overload and tries once when', () => {
  const cases: [string, string, Played, number?][] = [
    [
      'Anthropic limits the rate',
      CLAUDE,
      { status: 429, headers: { 'retry-after': '12' }, body: anthropicError('rate_limit_error', 'Slow down') },
      12,
    ],
    ['Anthropic is overloaded', CLAUDE, { status: 529, body: anthropicError('overloaded_error', 'Overloaded') }],
    ['Anthropic fails', CLAUDE, { status: 500, body: anthropicError('api_error', 'Internal server error') }],
    ['Anthropic takes too long', CLAUDE, { status: 504, body: anthropicError('timeout_error', 'Timed out') }],
    ['a gateway answers 502 with a page', CLAUDE, { status: 502, body: '<html>Bad gateway</html>' }],
    ['a service is not available', GPT, { status: 503, body: openaiError(null, 'Overloaded', 'server_error') }],
    ['a request timed out', GPT, { status: 408, body: openaiError(null, 'Timeout') }],
    ['a request met a conflict', GPT, { status: 409, body: openaiError(null, 'Conflict') }],
    ['an error has no body', LLAMA, { status: 503, body: '' }],
    ['Bedrock throttles', NOVA, { status: 429, headers: aws('ThrottlingException'), body: { message: 'Too many requests' } }],
    ['a Bedrock model is not ready', NOVA, { status: 429, headers: aws('ModelNotReadyException'), body: { message: 'Warming up' } }],
    ['a Bedrock model failed', NOVA, { status: 424, headers: aws('ModelErrorException'), body: { message: 'Failed' } }],
    [
      'a limit names a date',
      CLAUDE,
      {
        status: 429,
        headers: { date: 'Sun, 29 Nov 2026 10:00:00 GMT', 'retry-after': 'Sun, 29 Nov 2026 10:00:30 GMT' },
        body: anthropicError('rate_limit_error', 'x'),
      },
      30,
    ],
    [
      'a limit names milliseconds',
      GPT,
      { status: 429, headers: { 'retry-after-ms': '1500' }, body: openaiError('rate_limit_exceeded', 'x') },
      2,
    ],
    [
      'a limit names an hour',
      CLAUDE,
      { status: 429, headers: { 'retry-after': '3600' }, body: anthropicError('rate_limit_error', 'x') },
      3600,
    ],
    [
      'a limit names no readable time',
      CLAUDE,
      { status: 429, headers: { 'retry-after': 'soon' }, body: anthropicError('rate_limit_error', 'x') },
    ],
    [
      'a limit on credit ends at a named time',
      CLAUDE,
      { status: 402, headers: { 'retry-after': '120' }, body: anthropicError('billing_error', 'Daily limit') },
      120,
    ],
    [
      'a rate limit advertises payment',
      GPT,
      {
        status: 429,
        body: openaiError(
          'rate_limit_exceeded',
          'Rate limit reached: Limit 3, Used 3. Add a payment method at https://platform.openai.com/account/billing',
          'requests',
        ),
      },
    ],
    [
      'a quota per minute is used up for now',
      LLAMA,
      { status: 429, headers: { 'retry-after': '21' }, body: openaiError(429, 'You exceeded your current quota. Please retry in 21s') },
      21,
    ],
    ['an overload comes inside a good answer', LLAMA, { body: { error: { code: 429, message: 'Upstream is busy' } } }],
    [
      'a failure comes inside a good answer',
      GPT,
      { body: openaiResponse([], { status: 'failed', error: { code: 'server_error', message: 'Sorry' } }) },
    ],
    ['a good answer is no JSON', CLAUDE, { body: '<html>welcome to the hotel</html>' }],
    ['a good answer has another shape', LLAMA, { body: { id: 'x', choices: [] } }],
    ['the connection is cut before the answer', CLAUDE, { cut: 'before-answer' }],
    ['the connection is cut in the answer', CLAUDE, { cut: 'in-body' }],
  ];
  it.each(cases)('%s', async (_, model, played, waitSeconds) => {
    const outcome = await outcomeOf(model, played);
    expect(outcome).toMatchObject({ kind: 'overloaded', reason: expect.stringContaining(model) });
    expect('waitSeconds' in outcome ? outcome.waitSeconds : undefined).toBe(waitSeconds);
    expect(here.provider.requests).toHaveLength(1);
  });
});

describe('askModel() leaves it to a person and tries once when', () => {
  const cases: [string, string, Played, string][] = [
    ['a request is wrong', CLAUDE, { status: 400, body: anthropicError('invalid_request_error', 'tools.0: wrong') }, 'bad-request'],
    [
      'a wrong request has a wait time',
      CLAUDE,
      { status: 400, headers: { 'retry-after': '5' }, body: anthropicError('invalid_request_error', 'wrong') },
      'bad-request',
    ],
    [
      'a tool named billing is wrong',
      CLAUDE,
      { status: 400, body: anthropicError('invalid_request_error', 'tools.0.billing: wrong') },
      'bad-request',
    ],
    ['a field cannot be processed', LLAMA, { status: 422, body: { detail: [{ loc: ['body'], msg: 'wrong' }] } }, 'bad-request'],
    [
      'a prompt is not allowed',
      GPT,
      { body: openaiResponse([], { status: 'failed', error: { code: 'invalid_prompt', message: 'No' } }) },
      'bad-request',
    ],
    [
      'the credit is too low',
      CLAUDE,
      { status: 400, body: anthropicError('invalid_request_error', 'Your credit balance is too low to access the Anthropic API.') },
      'billing',
    ],
    ['billing fails', CLAUDE, { status: 400, body: anthropicError('billing_error', 'See your settings') }, 'billing'],
    ['a payment is required', CLAUDE, { status: 402, body: anthropicError('billing_error', 'See your settings') }, 'billing'],
    [
      'a payment is required and the wait is unreadable',
      LLAMA,
      { status: 402, headers: { 'retry-after': 'soon' }, body: openaiError(402, 'Insufficient credits') },
      'billing',
    ],
    [
      'the quota is used up',
      GPT,
      {
        status: 429,
        body: openaiError('insufficient_quota', 'You exceeded your current quota, please check your plan', 'insufficient_quota'),
      },
      'billing',
    ],
    ['the balance is used up', LLAMA, { status: 429, body: openaiError(null, 'Your balance is used up') }, 'billing'],
    ['a key is wrong', CLAUDE, { status: 401, body: anthropicError('authentication_error', 'invalid x-api-key') }, 'authentication'],
    [
      'an AWS session has run out',
      NOVA,
      { status: 403, headers: aws('ExpiredTokenException'), body: { message: 'The security token included in the request is expired' } },
      'authentication',
    ],
    ['a key may not', CLAUDE, { status: 403, body: anthropicError('permission_error', 'Not allowed') }, 'permission'],
    [
      'AWS denies access',
      NOVA,
      { status: 403, headers: aws('AccessDeniedException'), body: { message: 'No access to the model' } },
      'permission',
    ],
    ['a model is retired', CLAUDE, { status: 404, body: anthropicError('not_found_error', 'model: claude-x') }, 'model-not-found'],
    ['an address serves something else', LLAMA, { status: 404, body: '<html>Not found</html>' }, 'model-not-found'],
    [
      'Bedrock does not know a model',
      NOVA,
      { status: 400, headers: aws('ValidationException'), body: { message: 'The provided model identifier is invalid.' } },
      'model-not-found',
    ],
    [
      'a request is too large',
      CLAUDE,
      { status: 413, body: anthropicError('request_too_large', 'Request exceeds the maximum size') },
      'too-large',
    ],
    [
      'a conversation is too long for Anthropic',
      CLAUDE,
      { status: 400, body: anthropicError('invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum') },
      'too-large',
    ],
    ['a conversation is too long for OpenAI', GPT, { status: 400, body: openaiError('context_length_exceeded', 'Too long') }, 'too-large'],
  ];
  it.each(cases)('%s', async (_, model, played, code) => {
    const outcome = await outcomeOf(model, played);
    expect(outcome).toMatchObject({ kind: 'rejected', code, reason: expect.stringContaining(model) });
    expect(here.provider.requests).toHaveLength(1);
  });

  it('a setting is one that the library refuses to send', async () => {
    const settings = { providerOptions: { anthropic: { thinking: { type: 'sometimes' } } } };
    const outcome = await askModel(modelRequest(CLAUDE, { settings }));
    expect(outcome).toMatchObject({ kind: 'rejected', code: 'bad-request', reason: expect.stringContaining('anthropic') });
    expect(here.provider.requests).toEqual([]);
  });

  it.each(['claude-x', 'gemini/x', 'anthropic/', '/x', 'anthropic'])('a model is named %j', async (model) => {
    expect(await askModel(modelRequest(model))).toMatchObject({
      kind: 'rejected',
      code: 'bad-request',
      reason: expect.stringContaining(`"${model}"`),
    });
  });
});

describe('askModel() says in a reason', () => {
  it('what happened, to what, by which request, and what comes next', async () => {
    const headers = { 'request-id': 'req_011' };
    const { reason } = await outcomeOf(CLAUDE, { status: 529, headers, body: anthropicError('overloaded_error', 'Overloaded') });
    expect(reason).toBe('anthropic/claude-x answered 529, "Overloaded" (request "req_011"); it will be asked again after a wait');
  });

  it('a remedy for what a person must mend', async () => {
    const { reason } = await outcomeOf(CLAUDE, { status: 404, body: anthropicError('not_found_error', 'model: claude-x') });
    expect(reason).toMatch(/^anthropic\/claude-x answered 404, "model: claude-x"; .*start a new run/);
  });

  it("no more than 500 characters of the provider's text, on one line", async () => {
    const { reason } = await outcomeOf(CLAUDE, { status: 400, body: anthropicError('invalid_request_error', `a\n${'b'.repeat(5_000)}`) });
    expect(reason).toContain(`"a ${'b'.repeat(497)}…"`);
    expect(reason.length).toBeLessThan(800);
  });

  it.each(['before-answer', 'in-body'] as const)('that the connection was cut (%s)', async (cut) => {
    expect((await outcomeOf(CLAUDE, { cut })).reason).toMatch(/^The connection to anthropic\/claude-x failed with "/);
  });

  it.each([
    ['a refused key, half masked', 401, 'Incorrect API key provided: sk-test-*****6789.'],
    ['a key among other words', 400, 'Header authorization: Bearer sk-test-0123456789 is wrong'],
    ['a key of no known form', 400, 'The key plain-key-77 is wrong'],
  ])('nothing of %s', async (_, status, message) => {
    vi.stubEnv('OPENAI_COMPATIBLE_API_KEY', 'plain-key-77');
    const { reason } = await outcomeOf(status === 401 ? GPT : LLAMA, { status, body: openaiError(null, message) });
    expect(reason).not.toMatch(/sk-test|6789|0123|plain-key/);
  });

  it('which key is missing, without asking anybody', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', '');
    const outcome = await askModel(modelRequest(CLAUDE));
    expect(outcome).toEqual({
      kind: 'rejected',
      code: 'missing-key',
      reason:
        'Cannot ask anthropic/claude-x: ANTHROPIC_API_KEY is not set, or is empty, in the environment of the model step; set it, then resume the run',
    });
    expect(here.provider.requests).toEqual([]);
  });
});

describe('askModel() gives up', () => {
  it.each(DIALECTS.map(({ model }) => model))('on %s at the deadline', async (model) => {
    const signal = AbortSignal.timeout(60);
    here.provider.play({ hang: true });
    expect(await askModel(modelRequest(model, { signal }))).toEqual({
      kind: 'overloaded',
      reason: `${model} gave no answer within 1 s; it will be asked again after a wait`,
    });
  });

  it('at the deadline of a step that has a reason of its own', async () => {
    const deadline = new AbortController();
    here.provider.play({ hang: true });
    setTimeout(() => deadline.abort(new Error('the step is over')), 60);
    expect(await askModel(modelRequest(CLAUDE, { signal: deadline.signal }))).toMatchObject({ kind: 'overloaded' });
  });

  it('before it asks when the deadline has passed', async () => {
    expect(await askModel(modelRequest(CLAUDE, { signal: AbortSignal.abort() }))).toMatchObject({ kind: 'overloaded' });
    expect(here.provider.requests).toEqual([]);
  });

  it.each(DIALECTS.map(({ model }) => model))('on %s when nobody listens', async (model) => {
    await here.provider.close();
    const outcome = await askModel(modelRequest(model));
    expect(outcome).toMatchObject({ kind: 'overloaded', reason: expect.stringMatching(/connection to .* failed with .*ECONNREFUSED/) });
  });
});

describe('askModel() takes the key of the moment', () => {
  it('and sends it without the line break after it', async () => {
    const answer = { body: anthropicMessage([text('Hi')]) };
    here.provider.play(answer, answer);
    asReply(await askModel(modelRequest(CLAUDE)));
    vi.stubEnv('ANTHROPIC_API_KEY', 'replaced');
    asReply(await askModel(modelRequest(CLAUDE)));
    expect(here.provider.requests.map(({ headers }) => headers['x-api-key'])).toEqual(['sk-ant-test-0123456789', 'replaced']);
  });
});
