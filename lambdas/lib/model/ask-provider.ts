import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import type { ModelOutcome, ModelRequest, ToolSpec } from '../../../shared/model.ts';
import { providerKey, type Variables } from './access.ts';
import { withCacheHints } from './cache-hints.ts';
import { faultOutcome } from './fault-outcome.ts';
import { fileRules } from './file-rules.ts';
import { filesToSend } from './files-to-send.ts';
import { languageModel } from './language-model.ts';
import type { RemoteModelName } from './model-name.ts';
import { promptOf } from './prompt.ts';
import { replyOutcome } from './reply-outcome.ts';

/**
 * Asks a provider once. It goes to the AI SDK's model directly, below `generateText`: the text of arguments, the metadata
 * and the headers come as the provider sent them, and nothing is validated, repaired, run or retried on the way.
 */
export async function askProvider(name: RemoteModelName, request: ModelRequest, variables: Variables): Promise<ModelOutcome> {
  const options = await callOptions(name, request);
  const askedAt = Date.now();
  try {
    const model = await languageModel(name, variables);
    return replyOutcome(await model.doGenerate(options));
  } catch (error) {
    const key = providerKey(name.provider, variables);
    return faultOutcome(error, { name, key, aborted: request.signal.aborted, askedAt, now: Date.now() });
  }
}

async function callOptions(
  name: RemoteModelName,
  { instructions, view, readFile, tools, settings, finishing, alone = false, signal }: ModelRequest,
): Promise<LanguageModelV4CallOptions> {
  const { provider } = name;
  const { maxOutputTokens, providerOptions } = settings;
  const shown = view();
  const files = await filesToSend(fileRules(provider), shown, readFile);
  const prompt = promptOf(provider, instructions, shown, files);
  return {
    prompt: alone ? prompt : withCacheHints(name, prompt),
    ...(tools.length > 0 && { tools: tools.map(toolOf).sort(byName) }),
    ...(tools.length > 0 && finishing && provider !== 'bedrock' && NO_CALLS),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    // The log is the only memory: OpenAI is told to keep none, and hands out its reasoning encrypted instead.
    providerOptions: { ...providerOptions, openai: { ...providerOptions?.openai, store: false } },
    abortSignal: signal,
  };
}

/** The tools are told all the same: messages have calls of them. Bedrock's adapter would leave those out. */
const NO_CALLS = { toolChoice: { type: 'none' } } as const;

const toolOf = ({ name, description, inputSchema }: ToolSpec): LanguageModelV4FunctionTool => ({
  type: 'function',
  name,
  description,
  inputSchema: inputSchema as LanguageModelV4FunctionTool['inputSchema'],
});

/** Providers cache by the bytes of a request's beginning, where the tools stand: their order is not left to chance. */
const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1);
