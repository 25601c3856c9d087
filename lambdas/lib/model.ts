import type { ModelOutcome, ModelRequest } from '../../shared/model.ts';
import { accessFault } from './model/access.ts';
import { accessVariables, forgetKeys, ModelKeysError } from './model/keys.ts';
import { parseModelName, type RemoteModelName } from './model/model-name.ts';
import { playScript } from './model/play-script.ts';

export { resolveModel } from './model/resolve-model.ts';

/**
 * Asks the request's model once, without any retry. Faults of the provider, of its settings and of a script come back as
 * outcomes; it throws for errors in this code, and while the secret of keys cannot be reached. Keys are those of this moment.
 */
export async function askModel(request: ModelRequest): Promise<ModelOutcome> {
  const name = parseModelName(request.model);
  if (!name) return unknownProvider(request.model);
  if (name.provider === 'scripted') return playScript(request);
  const outcome = await askRemote(name, request);
  if (outcome.kind === 'rejected') await forgetKeys(process.env);
  return outcome;
}

async function askRemote(name: RemoteModelName, request: ModelRequest): Promise<ModelOutcome> {
  const variables = await accessVariables(process.env).catch(unlessMendable);
  if (variables instanceof ModelKeysError)
    return { kind: 'rejected', code: 'missing-key', reason: `Cannot ask ${request.model}: ${variables.message}, then resume the run` };
  const fault = accessFault(name, variables);
  if (fault) return { kind: 'rejected', ...fault };
  // Loaded here and not above: a scripted run loads no provider's library.
  const { askProvider } = await import('./model/ask-provider.ts');
  return askProvider(name, request, variables);
}

function unlessMendable(error: unknown): ModelKeysError {
  if (error instanceof ModelKeysError) return error;
  throw error;
}

const unknownProvider = (model: string): ModelOutcome => ({
  kind: 'rejected',
  code: 'bad-request',
  reason: `Cannot ask model "${model}": it must be "<provider>/<model id>" with provider anthropic, bedrock, openai, openai-compatible or scripted`,
});
