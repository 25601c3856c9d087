import { createHash, createHmac } from 'node:crypto';

/** A request as it was received, for a look at its signature. Names of headers are in lower case. */
export interface Received {
  readonly method: string;
  /** Path and query as they were sent. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string | Buffer;
}

const sha256 = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** Everything but the unreserved characters of RFC 3986. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=(.+)$/;

/** What the header `authorization` of a signed request says, or undefined when it says nothing of the kind. */
export function signatureIn({ headers }: Received) {
  const [, keyId, day, region, service, signedHeaders, signature] = AUTHORIZATION.exec(headers.authorization ?? '') ?? [];
  return keyId && day && region && service && signedHeaders && signature
    ? { keyId, day, region, service, signed: signedHeaders.split(';'), signature }
    : undefined;
}

/** Computes the signature of a request anew, as AWS documents Signature Version 4 ("Create a signed AWS API request"). */
export function signatureOf(request: Received, secret: string): string | undefined {
  const found = signatureIn(request);
  if (!found) return undefined;
  const scope = `${found.day}/${found.region}/${found.service}/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', request.headers['x-amz-date'], scope, sha256(canonical(request, found.signed))].join('\n');
  const key = [found.day, found.region, found.service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secret}`);
  return hmac(key, toSign).toString('hex');
}

function canonical({ method, target, headers, body }: Received, signed: readonly string[]): string {
  const [path = '/', query = ''] = target.split('?');
  const pairs = query.split('&').filter(Boolean);
  const parameters = pairs.map((pair) =>
    pair
      .split('=')
      .map((part) => encoded(decodeURIComponent(part)))
      .join('='),
  );
  return [
    method,
    path.split('/').map(encoded).join('/'),
    parameters.toSorted().join('&'),
    ...signed.map((name) => `${name}:${(headers[name] ?? '').trim().replace(/ +/g, ' ')}`),
    '',
    signed.join(';'),
    sha256(body),
  ].join('\n');
}

/** The hash of a body, as the header x-amz-content-sha256 gives it. */
export const bodyHash = sha256;
