import type { ModelOutcome, ModelRequest } from '../../shared/model.ts';
import { accessFault } from './model/access.ts';
import { parseModelName } from './model/model-name.ts';
import { playScript } from './model/play-script.ts';

export { resolveModel } from './model/resolve-model.ts';

/**
 * Asks the request's model once, without any retry. Faults of the provider, of its settings and of a script come back as
 * outcomes; it throws only for errors in this code. Keys are read from the environment anew at each call.
 */
export async function askModel(request: ModelRequest): Promise<ModelOutcome> {
  const name = parseModelName(request.model);
  if (!name) return unknownProvider(request.model);
  if (name.provider === 'scripted') return playScript(request);
  const fault = accessFault(name, process.env);
  if (fault) return { kind: 'rejected', ...fault };
  // Loaded here and not above: a scripted run loads no provider's library.
  const { askProvider } = await import('./model/ask-provider.ts');
  return askProvider(name, request);
}

const unknownProvider = (model: string): ModelOutcome => ({
  kind: 'rejected',
  code: 'bad-request',
  reason: `Cannot ask model "${model}": it must be "<provider>/<model id>" with provider anthropic, bedrock, openai, openai-compatible or scripted`,
});
