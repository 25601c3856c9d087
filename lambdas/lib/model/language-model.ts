import type { LanguageModelV4 } from '@ai-sdk/provider';
import { providerKey, type Variables } from './access.ts';
import type { RemoteModelName } from './model-name.ts';
import { patientFetch } from './patient-fetch.ts';

/**
 * Makes the AI SDK's model of that name, and loads its provider's library only now. Keys are those of this moment;
 * addresses come from the variables that each library reads itself, Bedrock's credentials from those that AWS sets.
 */
export async function languageModel({ provider, id }: RemoteModelName, variables: Variables): Promise<LanguageModelV4> {
  const fetch = patientFetch;
  const apiKey = providerKey(provider, variables);
  const key = apiKey === undefined ? {} : { apiKey };
  switch (provider) {
    case 'anthropic':
      return (await import('@ai-sdk/anthropic')).createAnthropic({ ...key, fetch })(id);
    case 'bedrock':
      return (await import('@ai-sdk/amazon-bedrock')).createAmazonBedrock({ ...key, fetch })(id);
    case 'openai':
      return (await import('@ai-sdk/openai')).createOpenAI({ ...key, fetch }).responses(id);
    case 'openai-compatible': {
      const baseURL = variables.OPENAI_COMPATIBLE_BASE_URL?.trim() ?? '';
      // Metadata under the name `openaiCompatible` would be spread into the messages as fields of their own.
      return (await import('@ai-sdk/openai-compatible')).createOpenAICompatible({ ...key, fetch, baseURL, name: 'compatible' })(id);
    }
  }
}
