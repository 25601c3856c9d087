import * as z from 'zod';
import { VARIABLES } from '../../../shared/environment.ts';
import { KEY_VARIABLES, type Variables } from './access.ts';

/** What the secret of model keys may hold, by the names that the variables have elsewhere. */
const keys = z.record(
  z.string().refine((name) => KEY_VARIABLES.includes(name)),
  z.string(),
);

/** Loaded when a secret is named: without one, Secrets Manager is not talked to. */
const secrets = () => import('../secret.ts');

/** What the secret of model keys lacks, or why it cannot be read, in words that show no value of it. */
export class ModelKeysError extends Error {
  override readonly name = 'ModelKeysError';
}

/**
 * The variables that give access to models: the environment's, and over them the entries of the secret that
 * HOLDFAST_MODEL_KEYS names. Throws a ModelKeysError when only a person can mend the secret.
 */
export async function accessVariables(environment: Variables): Promise<Variables> {
  const secret = environment[VARIABLES.modelKeys]?.trim();
  return secret ? { ...environment, ...(await keysIn(secret)) } : environment;
}

/** Forgets the keys of the secret: a provider refused them, or one is missing. */
export async function forgetKeys(environment: Variables): Promise<void> {
  const secret = environment[VARIABLES.modelKeys]?.trim();
  if (secret) (await secrets()).forgetSecret(secret);
}

async function keysIn(secret: string): Promise<Variables> {
  const parsed = keys.safeParse(parse(await read(secret)));
  if (parsed.success) return parsed.data;
  throw new ModelKeysError(`secret "${secret}" is no JSON object of texts named ${KEY_VARIABLES.join(', ')}; correct it`);
}

/** Errors of Secrets Manager that waiting does not mend. */
const LASTING = [
  'ResourceNotFoundException',
  'AccessDeniedException',
  'DecryptionFailure',
  'InvalidRequestException',
  'InvalidParameterException',
  'ValidationException',
];

async function read(secret: string): Promise<string> {
  try {
    return await (await secrets()).readSecret(secret);
  } catch (error) {
    const { name } = error as Error;
    if (!LASTING.includes(name)) throw error;
    throw new ModelKeysError(`secret "${secret}" cannot be read (${name}); make it, or give the model step the right to read it`);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
