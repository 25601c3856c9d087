import { localAddress } from './address.ts';
import { oneLine } from './clean.ts';
import { type Client, createClient } from './client.ts';
import { apiGatewayOf, type Gate, openGate, tokenGate } from './gate.ts';
import { type Terminal, UsageError } from './output.ts';

/** Where the service is and what lets requests in, as a command line says it. */
export interface AccessOptions {
  readonly url?: string;
  readonly stack?: string;
  readonly region?: string;
  readonly sign?: boolean;
  readonly token?: string;
}

/** A service that was named: by its address, or by the stack that it was deployed as. */
type Named = { readonly url: string } | { readonly stack: string };

/** Returns a way to the client for the service, at the address that holds now. Throws a UsageError when what was said cannot be meant. */
export function accessFor(terminal: Terminal, options: AccessOptions): () => Client {
  const named = namedService(terminal, options);
  // A file in some folder may say where a service runs here; it does not decide who is sent a token or a signature.
  if (!named && (options.token !== undefined || options.sign))
    throw new UsageError(`Cannot ${options.sign ? 'sign' : 'send the token'}: say for which service, with --url or --stack`);
  const client = named ? clientOf(terminal, options, named) : () => createClient(localAddress(terminal.cwd));
  try {
    client();
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  return client;
}

/** The stack that was named. Throws a UsageError when none was, or an address instead. */
export function stackFor(terminal: Terminal, options: AccessOptions): string {
  const named = namedService(terminal, options);
  if (named && 'stack' in named) return named.stack;
  const instead = named ? `, and not the address ${oneLine(named.url, 200)}` : '';
  throw new UsageError(`Cannot tell which deployment on AWS is meant: name its stack${instead}, with --stack or HOLDFAST_STACK`);
}

function namedService({ env }: Terminal, { url, stack }: AccessOptions): Named | undefined {
  if (stack !== undefined) return { stack };
  if (url !== undefined) return { url };
  if (env.HOLDFAST_URL) return { url: env.HOLDFAST_URL };
  return env.HOLDFAST_STACK ? { stack: env.HOLDFAST_STACK } : undefined;
}

/** What talks to AWS is loaded when it is needed: all other commands start without it. */
function clientOf(terminal: Terminal, options: AccessOptions, named: Named): () => Client {
  const aws = once(async () => (await import('./aws.ts')).openAws(options.region));
  const signer = once(async () => (await import('./signing.ts')).createSigner(await aws()));
  const gate = gateFor(terminal, options, named, signer);
  if ('url' in named) return () => createClient(named.url, gate);
  const address = once(async () => (await import('./deployment.ts')).addressOfStack(await aws(), named.stack));
  return () => createClient(address, gate);
}

function gateFor({ env }: Terminal, options: AccessOptions, named: Named, signer: () => Promise<Gate>): Gate {
  const token = options.sign ? undefined : (options.token ?? (env.HOLDFAST_TOKEN || undefined));
  if (token !== undefined) return tokenGate(checked(token));
  const signs = options.sign || 'stack' in named || (URL.canParse(named.url) && apiGatewayOf(new URL(named.url)));
  if (!signs) return openGate;
  return {
    admit: async (request) => (await signer()).admit(request),
    advice: async (request, refusal) => (await signer()).advice(request, refusal),
  };
}

/** Returns a token that can be sent. The message of what cannot does not show it. */
function checked(token: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new UsageError('Cannot use this token: it must be the token alone, without "Bearer", spaces or line breaks');
}

/** Makes a thing at its first use. What failed is made again at the next. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
