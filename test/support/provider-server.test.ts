import { describe, expect, it } from 'vitest';
import { useProviderServer } from './provider-environment.ts';
import { anthropicMessage, text, thinking, toolUse } from './provider-server/answers.ts';

const here = useProviderServer();

const KEYS = { 'x-api-key': 'k', authorization: 'Bearer k' };
const post = (path: string, body: unknown, headers: Record<string, string> = KEYS) =>
  fetch(`${here.provider.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });

const hi = { role: 'user', content: [text('Hi')] };
const says = (...content: unknown[]) => ({ role: 'assistant', content });
const answers = (...content: unknown[]) => ({ role: 'user', content });
const result = (id: string, content = 'done') => ({ type: 'tool_result', tool_use_id: id, content });
const use = toolUse('a', 'look', {});

describe('the Anthropic server refuses', () => {
  const cases: [string, unknown[], RegExp][] = [
    [
      'a call without its result',
      [hi, says(use), answers(text('Well?'))],
      /`tool_use` ids were found without `tool_result` blocks immediately after: a/,
    ],
    ['a result behind a text', [hi, says(use), answers(text('Well?'), result('a'))], /without `tool_result` blocks/],
    [
      'a result one message late',
      [hi, says(use), answers(text('x')), says(text('y')), answers(result('a'))],
      /without `tool_result` blocks/,
    ],
    ['two results for one call', [hi, says(use), answers(result('a'), result('a'))], /Found multiple `tool_result` blocks with id: a/],
    [
      'a result without its call',
      [hi, says(use), answers(result('a'), result('b'))],
      /unexpected `tool_use_id` found in `tool_result` blocks: b/,
    ],
    ['an id that comes again', [hi, says(use), answers(result('a')), says(use), answers(result('a'))], /`tool_use` ids must be unique/],
    ['an empty text', [answers(text(''))], /must be non-empty/],
    ['a blank text', [answers(text(' \n'))], /must contain non-whitespace text/],
    ['a blank result', [hi, says(use), answers(result('a', ' '))], /must contain non-whitespace text/],
    ['a message without content', [hi, says()], /prefill|non-empty content/],
    [
      'a name outside the pattern',
      [hi, says(toolUse('a', 'no.such', {})), answers(result('a'))],
      /tool_use.name: String should match pattern/,
    ],
    [
      'an id outside the pattern',
      [hi, says(toolUse('a:1', 'look', {})), answers(result('a:1'))],
      /tool_use.id: String should match pattern/,
    ],
    [
      'an input that is no object',
      [hi, says(toolUse('a', 'look', [1])), answers(result('a'))],
      /tool_use.input: Input should be a valid dictionary/,
    ],
    ['two messages of the user in a row', [hi, hi], /roles must alternate/],
    ['a first message that is not of the user', [says(text('x')), hi], /first message must use the "user" role/],
    ['a last message that is not of the user', [hi, says(text('x'))], /prefill/],
    ['reasoning that leads to nothing', [hi, says(thinking('Hm.', 's')), hi], /cannot be `thinking`/],
    ['reasoning that it did not write', [hi, says(thinking('Hm.', 'forged'), text('x')), hi], /Invalid `signature`/],
  ];
  it.each(cases)('%s', async (_, messages, message) => {
    const response = await post('/v1/messages', { max_tokens: 9, messages });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      type: 'error',
      error: { type: 'invalid_request_error', message: expect.stringMatching(message) },
    });
    expect(here.provider.refusals).toHaveLength(1);
  });

  it('a request without a key', async () => {
    expect((await post('/v1/messages', { max_tokens: 9, messages: [hi] }, {})).status).toBe(401);
  });

  it('nothing that is in order', async () => {
    here.provider.play({ body: anthropicMessage([thinking('Hm.', 's'), use], 'tool_use') }, { body: anthropicMessage([text('Done.')]) });
    await post('/v1/messages', { max_tokens: 9, messages: [hi] });
    const messages = [hi, says(thinking('Hm.', 's'), use), answers(result('a'), text('Well?'))];
    expect((await post('/v1/messages', { max_tokens: 9, messages })).status).toBe(200);
    expect(here.provider.refusals).toEqual([]);
  });
});

describe('the Chat Completions server refuses', () => {
  const asks = { role: 'user', content: 'Hi' };
  const calls = (id: string, name = 'look', args = '{}') => ({
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name, arguments: args } }],
  });
  const tool = (id: string, content = 'done') => ({ role: 'tool', tool_call_id: id, content });
  const cases: [string, unknown[], RegExp][] = [
    ['a call without its result', [asks, calls('a'), asks], /did not have response messages: a/],
    ['a call without its result at the end', [asks, calls('a')], /did not have response messages: a/],
    ['two results for one call', [asks, calls('a'), tool('a'), tool('a')], /must be a response to a preceeding message/],
    ['a result without its call', [asks, tool('a')], /must be a response to a preceeding message/],
    ['a blank text', [{ role: 'user', content: ' ' }], /non-empty string/],
    ['a name outside the pattern', [asks, calls('a', 'no.such'), tool('a')], /does not match pattern/],
    ['an id that is too long', [asks, calls('a'.repeat(41)), tool('a'.repeat(41))], /string too long/],
    ['arguments that are no object', [asks, calls('a', 'look', '{a'), tool('a')], /expected a JSON object/],
    ['nothing said at all', [asks, { role: 'assistant', content: null }], /got null/],
  ];
  it.each(cases)('%s', async (_, messages, message) => {
    const response = await post('/v1/chat/completions', { messages });
    expect([response.status, await response.text()]).toEqual([400, expect.stringMatching(message)]);
  });
});

describe('the Responses server refuses', () => {
  const asks = { role: 'user', content: [{ type: 'input_text', text: 'Hi' }] };
  const call = (id: string, args = '{}', name = 'look') => ({ type: 'function_call', call_id: id, name, arguments: args });
  const output = (id: string) => ({ type: 'function_call_output', call_id: id, output: 'done' });
  const cases: [string, unknown[], RegExp][] = [
    ['a call without its result', [asks, call('a')], /No tool output found for function call a/],
    ['a result without its call', [asks, output('a')], /No tool call found for function call output with call_id a/],
    ['two results for one call', [asks, call('a'), output('a'), output('a')], /Duplicate item found/],
    ['a reference to what is not stored', [asks, { type: 'item_reference', id: 'rs_1' }], /not found/],
    ['reasoning that is not sealed', [asks, { type: 'reasoning', id: 'rs_1', summary: [] }, call('a'), output('a')], /not found/],
    [
      'reasoning that it did not write',
      [asks, { type: 'reasoning', id: 'rs_1', encrypted_content: 'x', summary: [] }, call('a'), output('a')],
      /could not be verified/,
    ],
    ['arguments that are no object', [asks, call('a', '[]'), output('a')], /expected a JSON object/],
    ['a blank text', [{ role: 'user', content: [{ type: 'input_text', text: '' }] }], /non-empty string/],
  ];
  it.each(cases)('%s', async (_, input, message) => {
    const response = await post('/v1/responses', { store: false, input });
    expect([response.status, await response.text()]).toEqual([400, expect.stringMatching(message)]);
  });

  it('to store', async () => {
    expect((await post('/v1/responses', { input: [asks] })).status).toBe(400);
  });
});

describe('the Converse server refuses', () => {
  const asks = { role: 'user', content: [{ text: 'Hi' }] };
  const calls = (toolUseId: string, input: unknown = {}, name = 'look') => says({ toolUse: { toolUseId, name, input } });
  const tool = (toolUseId: string, said = 'done') => ({ toolResult: { toolUseId, content: [{ text: said }] } });
  const cases: [string, unknown[], RegExp][] = [
    ['a call without its result', [asks, calls('a'), asks], /Expected toolResult blocks at messages.2.content for the following Ids: a/],
    ['a result without its call', [asks, says({ text: 'x' }), answers(tool('a'))], /exceeds the number of toolUse blocks/],
    ['two results for one call', [asks, calls('a'), answers(tool('a'), tool('a'))], /exceeds the number of toolUse blocks/],
    ['a blank text', [answers({ text: ' ' })], /is blank/],
    ['a blank result', [asks, calls('a'), answers(tool('a', ''))], /is blank/],
    ['an input that is no object', [asks, calls('a', 'x'), answers(tool('a'))], /Provide a json object/],
    ['a name outside the pattern', [asks, calls('a', {}, 'no.such'), answers(tool('a'))], /regular expression pattern/],
    ['two messages of the user in a row', [asks, asks], /must alternate/],
  ];
  it.each(cases)('%s', async (_, messages, message) => {
    const response = await post('/model/nova/converse', { messages });
    expect([response.status, await response.text()]).toEqual([400, expect.stringMatching(message)]);
  });
});
