import { VARIABLES } from '../../shared/environment.ts';
import { FUNCTIONS, type FunctionName } from '../../shared/functions.ts';
import { NEEDS } from '../needs.ts';
import { BUCKET, DUMMY_CREDENTIALS, LINK_KEY, MACHINE_ARN, MAIL_FROM, REGION, TABLES } from './names.ts';

/** The addresses of the services of this machine. */
export interface Endpoints {
  store: string;
  stepFunctions: string;
  secrets: string;
  mail: string;
  blobs: string;
  /** Of the HTTP API: where links lead. */
  api: string;
}

/** What Node, a test runner or an AWS profile would make of a process that inherits them. */
const WITHHELD = ['NODE_OPTIONS', 'NODE_CHANNEL_FD', 'AWS_PROFILE', 'AWS_DEFAULT_PROFILE', 'AWS_SESSION_TOKEN'];

/** The environment of a function's process: that of the host (keys of model providers), and the addresses of this machine. */
export function workerEnvironment(
  name: FunctionName,
  endpoints: Endpoints,
  extras: Record<string, string>,
): Record<string, string | undefined> {
  return {
    ...inherited(),
    ...ownCredentials(),
    AWS_REGION: REGION,
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.store,
    AWS_ENDPOINT_URL_SFN: endpoints.stepFunctions,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoints.secrets,
    AWS_ENDPOINT_URL_SESV2: endpoints.mail,
    AWS_ENDPOINT_URL_S3: endpoints.blobs,
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(FUNCTIONS[name].memoryMb),
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    [VARIABLES.table]: TABLES.runs,
    [VARIABLES.idempotencyTable]: TABLES.idempotency,
    ...(NEEDS[name].blobs ? { [VARIABLES.bucket]: BUCKET } : {}),
    [VARIABLES.stateMachineArn]: MACHINE_ARN,
    [VARIABLES.publicUrl]: endpoints.api,
    [VARIABLES.linkKey]: LINK_KEY.ARN,
    [VARIABLES.mailFrom]: process.env[VARIABLES.mailFrom] || MAIL_FROM,
    ...extras,
  };
}

const inherited = () => Object.fromEntries(Object.entries(process.env).filter(([key]) => !WITHHELD.includes(key)));

/** Keys in the host's environment are kept, for models on Bedrock; the services of this machine take any. */
function ownCredentials(): Record<string, string> {
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: token } = process.env;
  if (!id || !secret) return { AWS_ACCESS_KEY_ID: DUMMY_CREDENTIALS.accessKeyId, AWS_SECRET_ACCESS_KEY: DUMMY_CREDENTIALS.secretAccessKey };
  return { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, ...(token ? { AWS_SESSION_TOKEN: token } : {}) };
}
