import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { RemoteModelName } from './model-name.ts';

/**
 * Marks where a provider that has to be told keeps a request's beginning for the next one: after the instructions, at the end,
 * and at the end of the request before, where the cache was written last: it looks back for an entry only so far, and a turn of
 * many calls is longer than that. OpenAI, and Amazon's own models, do it by themselves.
 */
export function withCacheHints({ provider, id }: RemoteModelName, prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const hint = provider === 'anthropic' ? ANTHROPIC : provider === 'bedrock' && CACHED_ON_BEDROCK.test(id) ? BEDROCK : undefined;
  if (!hint) return prompt;
  const places = new Set([prompt.findLastIndex(isSystem), endBefore(prompt), prompt.length - 1]);
  return prompt.map((message, i) => (places.has(i) ? { ...message, providerOptions: { ...message.providerOptions, ...hint } } : message));
}

const ANTHROPIC = { anthropic: { cacheControl: { type: 'ephemeral' } } };
const BEDROCK = { bedrock: { cachePoint: { type: 'default' } } };

/** Older models refuse a request with a mark in it (Amazon Bedrock's guide, "Prompt caching"). */
const CACHED_ON_BEDROCK = /anthropic\.claude-(3-5-haiku|3-7|fable|opus|sonnet|haiku)/;

const isSystem = ({ role }: LanguageModelV4Message): boolean => role === 'system';

/** The last message of the request to which the last reply was the answer. */
const endBefore = (prompt: LanguageModelV4Prompt): number => prompt.findLastIndex(({ role }) => role === 'assistant') - 1;
