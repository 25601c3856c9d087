import { setTimeout as pause } from 'node:timers/promises';
import { SignatureV4 } from '@smithy/signature-v4';
import { dynamo } from './dynamo.ts';
import { sha256 } from './hash.ts';
import { settings } from './settings.ts';

/** A request about an object of the bucket, or about the bucket itself when the key is empty. */
export interface S3Request {
  readonly method: 'PUT' | 'GET' | 'DELETE';
  readonly key: string;
  readonly query?: Record<string, string>;
  readonly headers?: Record<string, string>;
  readonly body?: Uint8Array;
  /** SHA-256 of the body, hex. */
  readonly sha256?: string;
}

export interface S3Answer {
  readonly status: number;
  readonly body: Buffer;
}

/** One try at a request, ms: enough for the largest body at a few MB a second. */
const TRY_MS = 20_000;
const TRIES = 4;
/** Two writers at once, too many requests, and faults of the service: the same request may succeed. */
const AGAIN = [409, 429, 500, 502, 503, 504];

/**
 * Sends a request to S3, signed with the credentials of the function: `@aws-sdk/client-s3` would add 147 KB to each bundle,
 * and four operations are needed. Tries again what may succeed; everything it sends may be sent twice.
 */
export async function s3(request: S3Request): Promise<S3Answer> {
  for (let tries = 1; ; tries++) {
    const answer = await send(request).catch((error: Error) => error);
    const over = tries >= TRIES;
    if (answer instanceof Error ? over : over || !AGAIN.includes(answer.status)) return whole(request, answer);
    await pause(Math.random() * 100 * 2 ** tries);
  }
}

function whole({ method, key }: S3Request, answer: S3Answer | Error): S3Answer {
  if (!(answer instanceof Error)) return answer;
  throw new Error(`Cannot ${method} "${key}" of the blob store: ${answer.message}`, { cause: answer });
}

async function send(request: S3Request): Promise<S3Answer> {
  const { method, body } = request;
  const url = await addressOf(request);
  const headers = await signed(request, url);
  const sent = body === undefined ? {} : { body: body as Uint8Array<ArrayBuffer> };
  const response = await fetch(url, { method, headers, ...sent, signal: AbortSignal.timeout(TRY_MS) });
  return { status: response.status, body: Buffer.from(await response.arrayBuffer()) };
}

/** In the cloud the bucket is a part of the host's name; elsewhere, at an endpoint of its own, of the path. */
async function addressOf({ key, query = {} }: S3Request): Promise<URL> {
  const bucket = bucketName();
  const endpoint = process.env.AWS_ENDPOINT_URL_S3 || process.env.AWS_ENDPOINT_URL;
  const region = await dynamo.config.region();
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const base = endpoint ? `${endpoint.replace(/\/$/, '')}/${bucket}` : `https://${bucket}.s3.${region}.${suffix}`;
  const url = new URL(`${base}/${key}`);
  url.search = new URLSearchParams(query).toString();
  return url;
}

function bucketName(): string {
  const { bucket } = settings();
  if (bucket) return bucket;
  throw new Error('Cannot reach the blob store: this function was given no bucket; name it among those that read or write bodies');
}

async function signed({ method, headers = {}, body, sha256: hash = sha256('') }: S3Request, url: URL): Promise<Record<string, string>> {
  const { credentials, region, sha256: digest, userAgentAppId } = dynamo.config;
  const signer = new SignatureV4({ service: 's3', region, credentials, sha256: digest, uriEscapePath: false });
  const agent = { 'user-agent': `holdfast app/${(await userAgentAppId()) ?? 'none'}` };
  const { headers: sent } = await signer.sign({
    method,
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: { ...agent, ...headers, host: url.host, 'x-amz-content-sha256': hash },
    body,
  });
  const { host: _host, ...others } = sent; // It is signed; that it is sent is up to fetch.
  return others;
}
