/** The providers a model can be asked through, by the first part of its name. */
export const PROVIDERS = ['anthropic', 'bedrock', 'openai', 'openai-compatible', 'scripted'] as const;
export type Provider = (typeof PROVIDERS)[number];

/** A model's name in its parts. The id may hold further slashes. */
export interface ModelName<P extends Provider = Provider> {
  readonly provider: P;
  readonly id: string;
}

/** A model that is asked over a network. */
export type RemoteModelName = { [P in Provider]: P extends 'scripted' ? never : ModelName<P> }[Provider];

/** Reads `<provider>/<model id>`, or returns undefined. */
export function parseModelName(model: string): RemoteModelName | ModelName<'scripted'> | undefined {
  const slash = model.indexOf('/');
  const provider = PROVIDERS.find((known) => known === model.slice(0, Math.max(slash, 0)));
  const id = model.slice(slash + 1);
  return provider && id ? { provider, id } : undefined;
}
