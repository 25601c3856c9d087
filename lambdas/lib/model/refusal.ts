import type { APICallError } from '@ai-sdk/provider';
import { requestId } from './request-id.ts';
import { retryAfterSeconds } from './retry-after.ts';

/** What an answer that is no reply says, whatever its provider's format. */
export interface Refusal {
  /** The HTTP status; of an error inside a good answer, the status it would have had. Undefined for an unreadable answer. */
  readonly status: number | undefined;
  /** The provider's words for the kind of error, in lower case. */
  readonly kinds: readonly string[];
  readonly text: string;
  readonly waitSeconds: number | undefined;
  readonly requestId: string | undefined;
}

/** Reads an answer that is no reply; `now`, ms since the epoch, is what a date to wait for is held against. */
export function refusalOf(error: APICallError, now: number): Refusal {
  const headers = error.responseHeaders ?? {};
  const body = bodyOf(error.responseBody);
  const inner = objectOf(body.error) ?? body;
  const kinds = [headers['x-amzn-errortype']?.split(':')[0], inner.__type, inner.type, inner.code, objectOf(inner.details)?.error_code]
    .filter((kind) => typeof kind === 'string' || typeof kind === 'number')
    .map((kind) => String(kind).toLowerCase());
  return {
    status: statusOf(error, body.error != null, kinds),
    kinds,
    text: [inner.message, inner.Message, body.error, error.message].find((text) => typeof text === 'string' && text !== '') as string,
    waitSeconds: retryAfterSeconds(headers, now),
    requestId: requestId(headers),
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** The AI SDK hands over the body as text, but for an error inside a good answer as an object. */
function bodyOf(body: unknown): Fields {
  if (typeof body !== 'string') return objectOf(body) ?? {};
  try {
    return objectOf(JSON.parse(body)) ?? {};
  } catch {
    return {};
  }
}

const objectOf = (value: unknown): Fields | undefined => (typeof value === 'object' && value !== null ? (value as Fields) : undefined);

/** The statuses of errors that come inside an answer with status 200, by their kind. */
const STATUS_BY_KIND: Readonly<Record<string, number>> = {
  overloaded_error: 529,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  api_error: 500,
  server_error: 500,
  invalid_request_error: 400,
  invalid_prompt: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
};

function statusOf({ statusCode = 0, responseBody }: APICallError, hasError: boolean, kinds: readonly string[]): number | undefined {
  const inside = hasError && (statusCode < 400 || typeof responseBody !== 'string');
  if (!inside) return statusCode < 400 ? undefined : statusCode;
  const known = kinds.map((kind) => STATUS_BY_KIND[kind] ?? Number(kind));
  return known.find((status) => status >= 400 && status < 600) ?? 500;
}
