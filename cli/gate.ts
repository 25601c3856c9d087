/** A request before it is sent. */
export interface Outgoing {
  readonly method: string;
  /** The path in the HTTP API, and the whole address with it. */
  readonly path: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** A refusal (401 or 403) by what stands before the service, which says little of why. */
export interface TurnedAway {
  readonly status: number;
  readonly said: string;
  readonly headers: Headers;
}

/** What lets requests in to the service. */
export interface Gate {
  /** The headers to send: the request's own, and those that let it in. Throws an AccessError when there are none to be had. */
  readonly admit: (request: Outgoing) => Promise<Readonly<Record<string, string>>>;
  /** What to do about a refusal, in a sentence or two. */
  readonly advice: (request: Outgoing, refusal: TurnedAway) => Promise<string>;
}

/** Nothing lets the command in, or the deployment is not to be found; the message says what to do. */
export class AccessError extends Error {
  override readonly name = 'AccessError';
}

/** Lets requests in as they are: the service on this machine asks for no more. */
export const openGate: Gate = {
  admit: async ({ headers }) => headers,
  advice: async () => 'A deployment on AWS takes signed requests (--sign), or the token of its JWT authorizer (--token or HOLDFAST_TOKEN).',
};

/** Lets requests in by a bearer token, which is sent over TLS or on this machine only. */
export const tokenGate = (token: string): Gate => ({
  admit: async ({ headers, url }) => {
    if (url.protocol !== 'https:' && !isLoopback(url))
      throw new AccessError(`Cannot send the token to ${url.origin}: it would be readable on the way; use an https address`);
    return { ...headers, authorization: `Bearer ${token}` };
  },
  advice: async (_request, { headers }) => {
    const reason = /error_description="([^"]*)"/.exec(headers.get('www-authenticate') ?? '')?.[1];
    const why = reason ? ` (${reason.replaceAll(token, '[hidden]')})` : '';
    return `The token does not let this request in${why}: give another with --token or HOLDFAST_TOKEN.`;
  },
});

/** True for addresses of this machine. */
export const isLoopback = ({ hostname }: URL): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);

/** The API's id and region in an address that API Gateway gives, or undefined for any other. */
export function apiGatewayOf({ hostname }: URL): { id: string; region: string } | undefined {
  const [, id, region] = /^([a-z0-9-]+)\.execute-api\.([a-z0-9-]+)\.(?:amazonaws\.com(?:\.cn)?|api\.aws)$/.exec(hostname) ?? [];
  return id && region ? { id, region } : undefined;
}
