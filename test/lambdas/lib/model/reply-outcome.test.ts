import { describe, expect, it } from 'vitest';
import { askModel } from '../../../../lambdas/lib/model.ts';
import { asReply, modelRequest } from '../../../support/model-request.ts';
import { DIALECTS } from '../../../support/provider-dialects.ts';
import { useProviderServer } from '../../../support/provider-environment.ts';
import {
  anthropicMessage,
  chatCall,
  chatCompletion,
  converseMessage,
  functionCall,
  openaiResponse,
  outputText,
  reasoningItem,
  text,
  thinking,
  toolUse,
} from '../../../support/provider-server/answers.ts';

const here = useProviderServer();

const CLAUDE = 'anthropic/claude-x';
const NOVA = 'bedrock/us.amazon.nova-pro-v1:0';
const GPT = 'openai/gpt-5';
const LLAMA = 'openai-compatible/vendor/llama';

async function replyTo(model: string, body: unknown, headers = {}) {
  here.provider.play({ body, headers });
  return asReply(await askModel(modelRequest(model)));
}

describe.each(DIALECTS)('askModel() of $model reads', ({ model, body }) => {
  it('a final reply', async () => {
    const reply = await replyTo(model, body('It is on its way.'));
    expect(reply).toMatchObject({ text: 'It is on its way.', calls: [], finish: 'stop' });
    expect(reply.usage).toMatchObject({ outputTokens: 5 });
  });

  it('calls beside a text, with the ids of the provider', async () => {
    const reply = await replyTo(
      model,
      body('Let me see.', ['x', 'lookup_order', '{"order_id":"A1"}'], ['x', 'lookup_order', '{"order_id":"A2"}']),
    );
    expect(reply).toMatchObject({ text: 'Let me see.', finish: 'calls' });
    expect(reply.calls).toEqual([
      { providerId: 'x', tool: 'lookup_order', input: { order_id: 'A1' } },
      { providerId: 'x', tool: 'lookup_order', input: { order_id: 'A2' } },
    ]);
  });

  it('a call of a tool that there is not', async () => {
    const reply = await replyTo(model, body('', ['x', 'no.such tool', '{}']));
    expect(reply.calls).toEqual([{ providerId: 'x', tool: 'no.such tool', input: {} }]);
  });

  it('a blank text as it came', async () => {
    expect(await replyTo(model, body(' \n', ['x', 'lookup_order', '{}']))).toMatchObject({ text: ' \n', finish: 'calls' });
  });

  it('content that is JSON through and through', async () => {
    const { content } = await replyTo(model, body('Let me see.', ['x', 'lookup_order', '{}']));
    expect(JSON.parse(JSON.stringify(content))).toEqual(content);
    expect(content).toHaveLength(2);
  });
});

describe.each(DIALECTS.filter(({ rawArguments }) => rawArguments))('askModel() of $model reads', ({ model, body }) => {
  const invalid = ['{order_id: A1}', '{"order_id":"A1"', '[1,2]', '"A1"', '42', '{"order_id":"A1"}{"order_id":"B2"}'];
  it.each(invalid)('the arguments %s as the text they are', async (args) => {
    const reply = await replyTo(model, body('', ['x', 'issue_refund', args]));
    expect(reply.calls).toEqual([{ providerId: 'x', tool: 'issue_refund', rawInput: args }]);
  });

  it.each(['', '   ', 'null', '{}'])('the arguments %j as none', async (args) => {
    expect((await replyTo(model, body('', ['x', 'list_orders', args]))).calls).toEqual([
      { providerId: 'x', tool: 'list_orders', input: {} },
    ]);
  });
});

describe('askModel() tells why the model stopped:', () => {
  const cases: [string, string, unknown, string, string | undefined][] = [
    ['at its end', CLAUDE, anthropicMessage([text('a')]), 'stop', 'end_turn'],
    ['at a stop sequence', CLAUDE, anthropicMessage([text('a')], 'stop_sequence'), 'stop', 'stop_sequence'],
    ['for calls', CLAUDE, anthropicMessage([toolUse('x', 'lookup_order', {})], 'tool_use'), 'calls', 'tool_use'],
    ['for calls that there are not', CLAUDE, anthropicMessage([], 'tool_use'), 'calls', 'tool_use'],
    ['cut off', CLAUDE, anthropicMessage([text('a')], 'max_tokens'), 'cut', 'max_tokens'],
    [
      'at the end of its context',
      CLAUDE,
      anthropicMessage([text('a')], 'model_context_window_exceeded'),
      'cut',
      'model_context_window_exceeded',
    ],
    ['refusing, with nothing', CLAUDE, anthropicMessage([], 'refusal'), 'refused', 'refusal'],
    ['refusing, with a text', CLAUDE, anthropicMessage([text('No.')], 'refusal'), 'refused', 'refusal'],
    ['for a pause', CLAUDE, anthropicMessage([text('a')], 'pause_turn'), 'other', 'pause_turn'],
    ['for a reason of its own', CLAUDE, anthropicMessage([text('a')], 'tired'), 'other', 'tired'],
    ['cut off', NOVA, converseMessage([{ text: 'a' }], 'max_tokens'), 'cut', 'max_tokens'],
    ['held by a guardrail', NOVA, converseMessage([{ text: 'a' }], 'guardrail_intervened'), 'refused', 'guardrail_intervened'],
    ['filtered', NOVA, converseMessage([], 'content_filtered'), 'refused', 'content_filtered'],
    ['with a call in a wrong form', NOVA, converseMessage([{ text: 'a' }], 'malformed_tool_use'), 'other', 'malformed_tool_use'],
    [
      'cut off',
      GPT,
      openaiResponse([outputText('a')], { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }),
      'cut',
      'max_output_tokens',
    ],
    [
      'filtered',
      GPT,
      openaiResponse([], { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }),
      'refused',
      'content_filter',
    ],
    ['refusing', GPT, openaiResponse([{ ...outputText(''), content: [{ type: 'refusal', refusal: 'No.' }] }]), 'refused', undefined],
    ['cut off', LLAMA, chatCompletion({ content: 'a' }, 'length'), 'cut', 'length'],
    ['filtered', LLAMA, chatCompletion({}, 'content_filter'), 'refused', 'content_filter'],
    ['refusing', LLAMA, chatCompletion({ refusal: 'No.' }), 'refused', 'stop'],
    [
      'for calls, by a server that says stop',
      LLAMA,
      chatCompletion({ tool_calls: [chatCall('x', 'lookup_order', '{}')] }),
      'calls',
      'stop',
    ],
  ];
  it.each(cases)('%s (%s)', async (_, model, body, finish, rawFinish) => {
    const reply = await replyTo(model, body);
    expect(reply.finish).toBe(finish);
    expect(reply.rawFinish).toBe(rawFinish);
  });

  it('cut off inside a call, whose half arguments stay text', async () => {
    const half = [chatCall('x', 'lookup_order', '{"order_id":"A1"}'), chatCall('y', 'write_file', '{"text":"once upon')];
    const { finish, calls } = await replyTo(LLAMA, chatCompletion({ tool_calls: half }, 'length'));
    expect(finish).toBe('cut');
    expect(calls.map(({ input, rawInput }) => input ?? rawInput)).toEqual([{ order_id: 'A1' }, '{"text":"once upon']);
  });
});

describe('askModel() keeps', () => {
  it.each([
    [CLAUDE, anthropicMessage([text('a')]), { inputTokens: 20, outputTokens: 5, cacheReadTokens: 7, cacheWriteTokens: 3 }],
    [NOVA, converseMessage([{ text: 'a' }]), { inputTokens: 10, outputTokens: 5 }],
    [GPT, openaiResponse([outputText('a')]), { inputTokens: 10, outputTokens: 5, cacheReadTokens: 4, reasoningTokens: 2 }],
    [LLAMA, chatCompletion({ content: 'a' }), { inputTokens: 10, outputTokens: 5 }],
    [LLAMA, { ...chatCompletion({ content: 'a' }), usage: undefined }, { inputTokens: 0, outputTokens: 0 }],
  ])('the usage that %s reports', async (model, body, usage) => {
    expect((await replyTo(model, body)).usage).toMatchObject(usage);
  });

  it.each([
    [CLAUDE, anthropicMessage([text('a')]), { 'request-id': 'req_1' }, 'req_1', 'claude-served'],
    [NOVA, converseMessage([{ text: 'a' }]), { 'x-amzn-requestid': 'aws-1' }, 'aws-1', 'us.amazon.nova-pro-v1:0'],
    [GPT, openaiResponse([outputText('a')]), { 'x-request-id': 'req_2' }, 'req_2', 'gpt-served'],
    [LLAMA, chatCompletion({ content: 'a' }), {}, 'chatcmpl-1', 'gpt-served'],
  ])('the request id and the served model of %s', async (model, body, headers, requestId, servedModel) => {
    expect(await replyTo(model, body, headers)).toMatchObject({ requestId, servedModel });
  });

  it('reasoning and its signature', async () => {
    const { content, text: said } = await replyTo(CLAUDE, anthropicMessage([thinking('Hm.', 'sig-1'), text('Yes.')]));
    expect(content[0]).toEqual({ type: 'reasoning', text: 'Hm.', providerMetadata: { anthropic: { signature: 'sig-1' } } });
    expect(said).toBe('Yes.');
  });

  it('reasoning that is sealed', async () => {
    const { content } = await replyTo(GPT, openaiResponse([reasoningItem('rs_1', '', 'sealed'), functionCall('x', 'lookup_order', '{}')]));
    expect(content[0]).toMatchObject({ providerMetadata: { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'sealed' } } });
  });
});
