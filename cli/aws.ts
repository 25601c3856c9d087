import { defaultProvider } from '@aws-sdk/credential-provider-node';
import { loadConfig, NODE_REGION_CONFIG_FILE_OPTIONS, NODE_REGION_CONFIG_OPTIONS } from '@smithy/core/config';
import { AccessError } from './gate.ts';

/** As whom and where AWS is used: the usual chain of environment, profile, login and role. */
export interface Aws {
  /** The credentials, renewed before they expire. Throws an AccessError when there are none. */
  readonly credentials: () => Promise<Credentials>;
  /** The region: as told, else AWS_REGION, else the profile's. Throws an AccessError when nothing says it. */
  readonly region: () => Promise<string>;
}

export type Credentials = Awaited<ReturnType<ReturnType<typeof defaultProvider>>>;

/** What to do when credentials are missing or no longer hold. */
export const GET_CREDENTIALS =
  'Log in ("aws login" or "aws sso login"), choose a profile with AWS_PROFILE, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.';

/** Opens AWS for one command; nothing is asked for before it is needed. */
export function openAws(told: string | undefined): Aws {
  const credentials = defaultProvider();
  const region = loadConfig(NODE_REGION_CONFIG_OPTIONS, NODE_REGION_CONFIG_FILE_OPTIONS);
  return {
    credentials: () => credentials().catch(noCredentials),
    region: async () => told ?? (await region().catch(noRegion)),
  };
}

function noCredentials(error: Error): never {
  const none = error.message === 'Could not load credentials from any providers';
  const profile = process.env.AWS_PROFILE ? ` for profile "${process.env.AWS_PROFILE}"` : '';
  const reason = none ? `there are none here${profile}` : error.message.replace(/[.\s]+$/, '');
  throw new AccessError(`Cannot get AWS credentials: ${reason}. ${GET_CREDENTIALS}`, { cause: error });
}

function noRegion(error: Error): never {
  throw new AccessError('Cannot tell the AWS region: say it with --region or AWS_REGION, or in the profile', { cause: error });
}
