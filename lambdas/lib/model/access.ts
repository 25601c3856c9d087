import { VARIABLES } from '../../../shared/environment.ts';
import type { RejectionCode } from '../../../shared/model.ts';
import type { Provider, RemoteModelName } from './model-name.ts';

type RemoteProvider = Exclude<Provider, 'scripted'>;
export type Variables = Readonly<Record<string, string | undefined>>;

/** The variable that holds each provider's key, and the one that replaces its address. */
const NAMES: Record<RemoteProvider, { readonly key: string; readonly address: string }> = {
  anthropic: { key: 'ANTHROPIC_API_KEY', address: 'ANTHROPIC_BASE_URL' },
  bedrock: { key: 'AWS_BEARER_TOKEN_BEDROCK', address: 'AWS_ENDPOINT_URL_BEDROCK_RUNTIME' },
  openai: { key: 'OPENAI_API_KEY', address: 'OPENAI_BASE_URL' },
  'openai-compatible': { key: 'OPENAI_COMPATIBLE_API_KEY', address: 'OPENAI_COMPATIBLE_BASE_URL' },
};

/** What a secret may hold in place of variables: keys, and the address that a compatible server is known by. */
export const KEY_VARIABLES: readonly string[] = [...Object.values(NAMES).map(({ key }) => key), NAMES['openai-compatible'].address];

/** The variables that turn each provider on, as a person is told of them. */
export const ACCESS_VARIABLES: Record<RemoteProvider, string> = {
  anthropic: NAMES.anthropic.key,
  bedrock: `HOLDFAST_BEDROCK=1 or ${NAMES.bedrock.key}`,
  openai: NAMES.openai.key,
  'openai-compatible': NAMES['openai-compatible'].address,
};

/** The variable that holds a provider's key. */
export const keyVariable = (provider: RemoteProvider): string => NAMES[provider].key;

/** A provider's key without the blanks around it, or undefined when there is none. */
export const providerKey = (provider: RemoteProvider, variables: Variables): string | undefined => read(variables, NAMES[provider].key);

/**
 * Tells whether a provider is set up. Bedrock counts only with HOLDFAST_BEDROCK=1 or AWS_BEARER_TOKEN_BEDROCK: AWS
 * credentials alone say nothing, since Lambda always has some, and the local runner gives its workers invented ones.
 */
export function hasAccess(provider: RemoteProvider, variables: Variables): boolean {
  if (provider === 'bedrock') return read(variables, 'HOLDFAST_BEDROCK') === '1' || providerKey(provider, variables) !== undefined;
  return read(variables, ACCESS_VARIABLES[provider]) !== undefined;
}

/** Says what is missing or wrong in the settings for a model, in one sentence that shows no value; undefined when all is there. */
export function accessFault({ provider, id }: RemoteModelName, variables: Variables): { code: RejectionCode; reason: string } | undefined {
  const fault = (code: RejectionCode, what: string) => ({ code, reason: `Cannot ask ${provider}/${id}: ${what}, then resume the run` });
  const where = placeOf(variables);
  const missing = missingVariable(provider, variables);
  if (missing) return fault('missing-key', `${missing} is not set, or is empty, ${where}; set it`);
  const { key, address } = NAMES[provider];
  if (!isSendable(providerKey(provider, variables)))
    return fault('authentication', `${key} ${where} holds a blank, a line break or another character that no key has; correct it`);
  if (!isAddress(variables[address])) return fault('bad-request', `${address} ${where} is no http or https address; correct or unset it`);
  return undefined;
}

/** Where keys are looked for. */
function placeOf(variables: Variables): string {
  const secret = read(variables, VARIABLES.modelKeys);
  return `in ${secret ? `secret "${secret}" or in ` : ''}the environment of the model step`;
}

function missingVariable(provider: RemoteProvider, variables: Variables): string | undefined {
  if (!hasAccess(provider, variables)) return ACCESS_VARIABLES[provider];
  if (provider !== 'bedrock') return undefined;
  const signed = providerKey(provider, variables) ? [] : ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];
  return ['AWS_REGION', ...signed].find((name) => read(variables, name) === undefined);
}

const read = (variables: Variables, name: string): string | undefined => variables[name]?.trim() || undefined;

/** A header can carry no other characters; the error for them would show the key. */
const isSendable = (key: string | undefined): boolean => key === undefined || /^[\x21-\x7e]+$/.test(key);

const isAddress = (address: string | undefined): boolean =>
  address === undefined || /^https?:$/.test(URL.parse(address.trim())?.protocol ?? '');
