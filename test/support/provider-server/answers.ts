import type { Fields } from './protocol.ts';

/** Bodies of good answers, as each protocol sends them. Parts are the protocol's own. */

/** An Anthropic message. */
export const anthropicMessage = (content: readonly Fields[], stop = 'end_turn', more: Fields = {}) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-served',
  content,
  stop_reason: stop,
  stop_sequence: null,
  usage: { input_tokens: 10, cache_creation_input_tokens: 3, cache_read_input_tokens: 7, output_tokens: 5 },
  ...more,
});
export const text = (value: string) => ({ type: 'text', text: value });
export const toolUse = (id: string, name: string, input: unknown) => ({ type: 'tool_use', id, name, input });
export const thinking = (value: string, signature: string) => ({ type: 'thinking', thinking: value, signature });

/** A chat completion with one choice. */
export const chatCompletion = (message: Fields, finish = 'stop') => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_764_000_000,
  model: 'gpt-served',
  choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason: finish }],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
});
export const chatCall = (id: string, name: string, args: string | null) => ({ id, type: 'function', function: { name, arguments: args } });

/** A response of the Responses API. */
export const openaiResponse = (output: readonly Fields[], more: Fields = {}) => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1_764_000_000,
  status: 'completed',
  error: null,
  incomplete_details: null,
  model: 'gpt-served',
  output,
  usage: { input_tokens: 10, input_tokens_details: { cached_tokens: 4 }, output_tokens: 5, output_tokens_details: { reasoning_tokens: 2 } },
  ...more,
});
export const outputText = (value: string) => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: value, annotations: [] }],
});
export const functionCall = (callId: string, name: string, args: string) => ({
  type: 'function_call',
  id: `fc_${callId}`,
  call_id: callId,
  name,
  arguments: args,
  status: 'completed',
});
export const reasoningItem = (id: string, summary: string, sealed: string) => ({
  type: 'reasoning',
  id,
  summary: summary ? [{ type: 'summary_text', text: summary }] : [],
  encrypted_content: sealed,
});

/** A message of Bedrock Converse. */
export const converseMessage = (content: readonly Fields[], stop = 'end_turn') => ({
  output: { message: { role: 'assistant', content } },
  stopReason: stop,
  metrics: { latencyMs: 5 },
  usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
});
