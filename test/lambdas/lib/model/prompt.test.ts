import { describe, expect, it } from 'vitest';
import { askModel } from '../../../../lambdas/lib/model.ts';
import type { ModelRequest, ViewMessage } from '../../../../shared/model.ts';
import type { Reply, Result } from '../../../../shared/record.ts';
import { modelRequest, replyRecord, turn, user } from '../../../support/model-request.ts';
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

/** Asks with this view, gets this answer, and returns it as the record at `seq`. */
async function ask(
  model: string,
  view: readonly ViewMessage[],
  seq: number,
  body: unknown,
  changes: Partial<ModelRequest> = {},
): Promise<Reply> {
  here.provider.play({ body });
  const outcome = await askModel(modelRequest(model, { view: () => view, ...changes }));
  expect(here.provider.refusals).toEqual([]);
  return replyRecord(seq, outcome);
}

const lastBody = () => here.provider.requests.at(-1)?.body;
const start = [user('Where is order A1?')];

describe.each(DIALECTS)('promptOf() for $model', ({ model, body, messages, opening }) => {
  const final = body('Done.');
  /** One turn that answers with `calls`, their results, and the request after it. */
  async function sentBack(answer: unknown, ...results: Partial<Result>[]) {
    const reply = await ask(model, start, 2, answer);
    await ask(model, [...start, ...turn(reply, ...results)], 4, final);
    return JSON.stringify(messages(lastBody()));
  }

  it('begins each request with the bytes of the one before it', async () => {
    const view: ViewMessage[] = [...start];
    for (const seq of [2, 4, 6]) {
      const order = { order_id: `A${seq}` };
      const reply = await ask(
        model,
        view,
        seq,
        body(`Step ${seq}.`, ['call_0', 'lookup_order', JSON.stringify(order)], ['call_1', 'issue_refund', '{}']),
      );
      view.push(...turn(reply, { output: { status: 'sent', order } }, { ok: false, output: 'denied' }));
    }
    await ask(model, [...view, user('And now?')], 9, final);
    const bodies = here.provider.requests.map((request) => request.body);
    expect(new Set(bodies.map((one) => JSON.stringify(opening(one)))).size).toBe(1);
    // Marks for the cache are no part of what it holds.
    const unmarked = (key: string, value: unknown) => (key === 'cache_control' ? undefined : value);
    const texts = bodies.map((one) => JSON.stringify(messages(one), unmarked).slice(0, -1));
    for (const [i, later] of texts.slice(1).entries()) expect(later.startsWith(texts[i] as string)).toBe(true);
  });

  it('sends the same bytes whatever the order of the tools', async () => {
    await ask(model, start, 2, final);
    const first = JSON.stringify(lastBody());
    await ask(model, start, 2, final, { tools: modelRequest(model).tools.toReversed() });
    expect(JSON.stringify(lastBody())).toBe(first);
  });

  it("pairs each call with its own result although the provider's ids repeat", async () => {
    const view: ViewMessage[] = [...start];
    for (const [seq, id] of [
      [2, 'A1'],
      [4, 'A2'],
    ] as const) {
      const reply = await ask(model, view, seq, body('', ['call_0', 'lookup_order', JSON.stringify({ order_id: id })]));
      view.push(...turn(reply, { output: `state of ${id}` }));
    }
    await ask(model, view, 6, final);
    const sent = JSON.stringify(messages(lastBody()));
    expect(sent).not.toContain('call_0');
    expect(sent).toMatch(/c2_0.*A1.*c2_0.*state of A1.*c4_0.*A2.*c4_0.*state of A2/);
  });

  it('sends the results of parallel calls together, each once and in order', async () => {
    const answer = body(
      '',
      ['a', 'lookup_order', '{"order_id":"A1"}'],
      ['a', 'lookup_order', '{"order_id":"A2"}'],
      ['a', 'issue_refund', '{}'],
    );
    const sent = await sentBack(answer, { output: 'one' }, { output: { two: 2 } }, { output: 'three' });
    expect(sent).toMatch(/c2_0.*c2_1.*c2_2.*c2_0.*one.*c2_1.*two.*c2_2.*three/);
  });

  it('sends a message of the user after the results', async () => {
    const reply = await ask(model, start, 2, body('', ['a', 'lookup_order', '{}']));
    await ask(model, [...start, ...turn(reply, { output: 'sent' }), user('Hurry!'), user('Please!')], 5, final);
    expect(JSON.stringify(messages(lastBody()))).toMatch(/sent.*Hurry!.*Please!/);
  });

  it('says of an error that it is one', async () => {
    const sent = await sentBack(body('', ['a', 'lookup_order', '{}']), { ok: false, output: 'no such order' });
    expect(sent).toMatch(
      model.startsWith('anthropic/') ? /"content":"no such order","is_error":true/ : /\{\\"error\\":\\"no such order\\"\}/,
    );
  });

  it('sends back blank and empty texts, messages and results as nothing blank', async () => {
    const reply = await ask(model, [user('\n')], 2, body(' \n', ['a', 'lookup_order', '{}'], ['b', 'lookup_order', '{}']));
    expect(reply.text).toBe(' \n');
    await ask(model, [user('\n'), ...turn(reply, { output: ' ' }, { output: '' }), user('')], 5, final);
    expect(JSON.stringify(messages(lastBody()))).toMatch(/\(empty message\).*\(empty result\).*\(empty result\).*\(empty message\)/);
  });

  it('leaves out a reply that said nothing', async () => {
    const silent = await ask(model, start, 2, body(''));
    await ask(model, [...start, { role: 'assistant', reply: silent }, user('Well?')], 4, final);
    expect(JSON.stringify(messages(lastBody()))).not.toContain('assistant');
  });

  it('leaves out blank instructions', async () => {
    await ask(model, start, 2, final, { instructions: ' ' });
    expect(JSON.stringify(lastBody())).not.toMatch(/"system":\[\{|"role":"(system|developer)"/);
  });

  it('sends a call of a tool that there is not under a name that is taken', async () => {
    const sent = await sentBack(
      body('', ['a', 'no.such tool', '{}'], ['b', 'x'.repeat(99), '{}']),
      { ok: false, output: 'unknown tool' },
      { ok: false },
    );
    expect(sent).toContain('no_such_tool');
  });

  it('sends no sampling parameters', async () => {
    await ask(model, start, 2, final, { settings: { maxOutputTokens: 321 } });
    expect(JSON.stringify(lastBody())).not.toMatch(/"(temperature|topP|top_p|top_k)"/);
    expect(JSON.stringify(lastBody())).toContain('321');
  });
});

describe.each(DIALECTS.filter(({ rawArguments }) => rawArguments))('promptOf() for $model', ({ model, body, messages }) => {
  it('sends arguments that were no object inside one', async () => {
    const broken = ['{order_id: A1}', '[1,2]', '', 'null'].map((args) => ['a', 'issue_refund', args] as const);
    const reply = await ask(model, start, 2, body('', ...broken));
    await ask(model, [...start, ...turn(reply, ...broken.map(() => ({ ok: false, output: 'no JSON object' })))], 4, body('Done.'));
    expect(JSON.stringify(messages(lastBody()))).toMatch(/rawInvalidInput.*\{order_id: A1\}/);
  });
});

describe('promptOf() sends reasoning back', () => {
  it('to Anthropic unchanged, with signatures and redacted blocks', async () => {
    const blocks = [
      thinking('Step by step.\n ', 'sig-1'),
      { type: 'redacted_thinking', data: 'opaque' },
      thinking('', 'sig-2'),
      text('Let me see.'),
      toolUse('x', 'lookup_order', { order_id: 'A1' }),
    ];
    const reply = await ask('anthropic/claude-x', start, 2, anthropicMessage(blocks, 'tool_use'));
    await ask('anthropic/claude-x', [...start, ...turn(reply, {})], 4, anthropicMessage([text('Done.')]));
    expect(lastBody().messages[1].content).toEqual([...blocks.slice(0, 4), { ...blocks[4], id: 'c2_0' }]);
  });

  it('to Bedrock with its signature', async () => {
    const reasoning = { reasoningContent: { reasoningText: { text: 'Hm.', signature: 'sig-1' } } };
    const call = { toolUse: { toolUseId: 'x', name: 'lookup_order', input: {} } };
    const reply = await ask('bedrock/us.anthropic.claude', start, 2, converseMessage([reasoning, { text: '' }, call], 'tool_use'));
    await ask('bedrock/us.anthropic.claude', [...start, ...turn(reply, {})], 4, converseMessage([{ text: 'Done.' }]));
    expect(lastBody().messages[1].content).toEqual([reasoning, { toolUse: { ...call.toolUse, toolUseId: 'c2_0' } }]);
  });

  it('to OpenAI sealed, and asks for it in that form', async () => {
    const items = [
      reasoningItem('rs_1', 'Hm.', 'sealed-1'),
      reasoningItem('rs_2', '', 'sealed-2'),
      functionCall('x', 'lookup_order', '{"order_id":"A1"}'),
    ];
    const reply = await ask('openai/gpt-5', start, 2, openaiResponse(items));
    await ask('openai/gpt-5', [...start, ...turn(reply, {})], 4, openaiResponse([outputText('Done.')]));
    expect(lastBody()).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] });
    const kinds = lastBody().input.map((item: { type?: string; role?: string }) => item.type ?? item.role);
    expect(kinds).toEqual(['developer', 'user', 'reasoning', 'reasoning', 'function_call', 'function_call_output']);
  });

  it('to a compatible server as it came', async () => {
    const reply = await ask('openai-compatible/x', start, 2, chatCompletion({ reasoning_content: 'Hm.', content: 'Yes.' }));
    await ask('openai-compatible/x', [...start, { role: 'assistant', reply }, user('Sure?')], 4, chatCompletion({ content: 'Sure.' }));
    expect(lastBody().messages[2]).toEqual({ role: 'assistant', content: 'Yes.', reasoning_content: 'Hm.' });
  });

  it('to a compatible server with the signature of a call, and no field of our own', async () => {
    const signed = { ...chatCall('x', 'lookup_order', '{}'), extra_content: { google: { thought_signature: 'sig-1' } } };
    const reply = await ask('openai-compatible/x', start, 2, chatCompletion({ tool_calls: [signed] }, 'tool_calls'));
    await ask('openai-compatible/x', [...start, ...turn(reply, {})], 4, chatCompletion({ content: 'Done.' }));
    expect(lastBody().messages[2].tool_calls).toEqual([{ ...signed, id: 'c2_0' }]);
  });

  it.each([
    ['anthropic/claude-x', anthropicMessage([thinking('Hm.', 'sig-1')]), anthropicMessage([text('Done.')])],
    ['openai/gpt-5', openaiResponse([reasoningItem('rs_1', 'Hm.', 'sealed')]), openaiResponse([outputText('Done.')])],
  ])('to %s never without what it led to', async (model, only, final) => {
    const reply = await ask(model, start, 2, only);
    await ask(model, [...start, { role: 'assistant', reply }, user('Well?')], 4, final);
    expect(JSON.stringify(lastBody())).not.toContain('Hm.');
  });
});

describe('askModel() keeps OpenAI stateless', () => {
  it('whatever the settings say', async () => {
    const settings = { providerOptions: { openai: { store: true, reasoningEffort: 'low' } } };
    await ask('openai/gpt-5', start, 2, openaiResponse([outputText('Hi.')]), { settings });
    expect(lastBody()).toMatchObject({ store: false, reasoning: { effort: 'low' } });
  });
});
