import { afterEach, beforeEach, vi } from 'vitest';
import { providerVariables } from './provider-dialects.ts';
import { type ProviderServer, startProviderServer } from './provider-server.ts';

/** Gives each test of the file a provider of its own, to which the environment points. */
export function useProviderServer(): { readonly provider: ProviderServer } {
  const here = {} as { provider: ProviderServer };
  beforeEach(async () => {
    here.provider = await startProviderServer();
    for (const [name, value] of Object.entries(providerVariables(here.provider.url))) vi.stubEnv(name, value);
    // Of the machine that the tests run on: it would take the place of what is set above.
    vi.stubEnv('AWS_BEARER_TOKEN_BEDROCK', undefined);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await here.provider.close();
  });
  return here;
}
