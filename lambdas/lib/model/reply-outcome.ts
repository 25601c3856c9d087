import type { LanguageModelV4FinishReason, LanguageModelV4GenerateResult, LanguageModelV4Usage } from '@ai-sdk/provider';
import type { Json } from '../../../shared/json.ts';
import type { ModelCall, ModelOutcome } from '../../../shared/model.ts';
import type { Reply, Usage } from '../../../shared/record.ts';
import { callArguments } from './call-arguments.ts';
import { requestId } from './request-id.ts';
import type { StoredPart } from './stored-part.ts';

/** Turns what the AI SDK's model returned into a reply, its parts unchanged. */
export function replyOutcome({ content, finishReason, usage, response }: LanguageModelV4GenerateResult): ModelOutcome {
  const parts: StoredPart[] = JSON.parse(JSON.stringify(content));
  const calls = parts.filter((part) => part.type === 'tool-call' && !part.providerExecuted).map(callOf);
  const id = requestId(response?.headers) ?? response?.id;
  return {
    kind: 'reply',
    text: parts.map((part) => (part.type === 'text' ? (part.text ?? '') : '')).join(''),
    content: parts as unknown as Json[],
    calls,
    finish: finishOf(finishReason, calls.length > 0),
    usage: usageOf(usage),
    ...(finishReason.raw && { rawFinish: finishReason.raw }),
    ...(response?.modelId && { servedModel: response.modelId }),
    ...(id && { requestId: id }),
  };
}

const callOf = ({ toolCallId = '', toolName = '', input }: StoredPart): ModelCall => ({
  providerId: toolCallId,
  tool: toolName,
  ...callArguments(input),
});

/** Some providers say `stop` beside calls; `pause_turn` is not an end although the AI SDK files it under `stop`. */
function finishOf({ unified, raw }: LanguageModelV4FinishReason, hasCalls: boolean): Reply['finish'] {
  if (raw === 'pause_turn') return 'other';
  if (unified === 'stop') return hasCalls ? 'calls' : 'stop';
  if (unified === 'tool-calls') return 'calls';
  if (unified === 'length') return 'cut';
  return unified === 'content-filter' ? 'refused' : 'other';
}

function usageOf({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage {
  const { total: input = 0, cacheRead, cacheWrite } = inputTokens;
  const { total: output = 0, reasoning } = outputTokens;
  return {
    inputTokens: input,
    outputTokens: output,
    ...(cacheRead !== undefined && { cacheReadTokens: cacheRead }),
    ...(cacheWrite !== undefined && { cacheWriteTokens: cacheWrite }),
    ...(reasoning !== undefined && { reasoningTokens: reasoning }),
  };
}
