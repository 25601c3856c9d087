import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** A request as API Gateway hands it to a function: payload format 2.0. */
export function apiEvent(route: string, pathParameters: Record<string, string>, request: IncomingMessage, body: Buffer): object {
  const url = new URL(request.url as string, 'http://localhost');
  const [method, path] = [request.method as string, url.pathname];
  const query = joined(url.searchParams);
  const cookies = request.headers.cookie?.split('; ');
  return {
    version: '2.0',
    routeKey: route,
    rawPath: path,
    rawQueryString: url.search.slice(1),
    ...(cookies ? { cookies } : {}),
    headers: headersOf(request),
    ...(query ? { queryStringParameters: query } : {}),
    ...(Object.keys(pathParameters).length > 0 ? { pathParameters } : {}),
    requestContext: contextOf(route, method, path, request),
    ...bodyOf(request, body),
  };
}

function contextOf(route: string, method: string, path: string, { headers, socket }: IncomingMessage): object {
  const now = new Date();
  return {
    accountId: 'anonymous',
    apiId: 'local',
    domainName: headers.host,
    domainPrefix: 'local',
    http: { method, path, protocol: 'HTTP/1.1', sourceIp: socket.remoteAddress, userAgent: headers['user-agent'] ?? '' },
    requestId: randomUUID(),
    routeKey: route,
    stage: '$default',
    time: now.toISOString(),
    timeEpoch: now.getTime(),
  };
}

/** Repeated parameters become one, joined by commas. */
function joined(parameters: URLSearchParams): Record<string, string> | undefined {
  if (parameters.size === 0) return undefined;
  return Object.fromEntries([...new Set(parameters.keys())].map((key) => [key, parameters.getAll(key).join(',')]));
}

const headersOf = ({ headers }: IncomingMessage) =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name !== 'cookie')
      .map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : value]),
  );

const TEXT = /^(text\/|application\/(json|javascript|xml|.*\+(json|xml)))/;

/** Bytes that are no UTF-8 are not text, whatever the request says: as text they would be changed without a word. */
function bodyOf({ headers }: IncomingMessage, body: Buffer): object {
  const isBase64Encoded = body.length > 0 && !(TEXT.test(headers['content-type'] ?? '') && isUtf8(body));
  if (body.length === 0) return { isBase64Encoded };
  return { body: body.toString(isBase64Encoded ? 'base64' : 'utf8'), isBase64Encoded };
}
