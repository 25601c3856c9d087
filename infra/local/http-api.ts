import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { MAX_BODY_BYTES, type Problem } from '../../shared/api.ts';
import { type FunctionName, ROUTES } from '../../shared/functions.ts';
import { apiEvent } from './api-event.ts';
import type { Erased } from './erased.ts';
import type { LocalFunctions } from './functions.ts';
import { isLocal, readBody, sendJson } from './loopback.ts';

/** What a function answers to API Gateway. */
interface ApiResult {
  statusCode: number;
  headers?: Record<string, string>;
  cookies?: string[];
  body?: string;
  isBase64Encoded?: boolean;
}

interface Match {
  route: string;
  name: FunctionName;
  parameters: Record<string, string>;
}

/** The host's own pages by path, undefined where there is none: in the cloud there are none at all. */
export type OwnPages = (path: string) => Promise<OwnPage | undefined>;
export interface OwnPage {
  html: string;
  headers: Readonly<Record<string, string>>;
}

/** The HTTP API: answers each route by its function, as API Gateway does, and shows the host's own pages. */
export const httpApi =
  (functions: LocalFunctions, ownPages: OwnPages, erased?: Pick<Erased, 'note'>): RequestListener =>
  (request, response) =>
    void answer({ functions, ownPages, erased }, request, response).catch((error) => failed(response, error));

interface Service {
  functions: LocalFunctions;
  ownPages: OwnPages;
  erased: Pick<Erased, 'note'> | undefined;
}

async function answer({ functions, ownPages, erased }: Service, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(request, MAX_BODY_BYTES);
  if (!isLocal(request, request.socket.localPort as number))
    return problem(response, 403, 'Forbidden', 'This address answers only pages and programs of this machine');
  if (!body) return problem(response, 413, 'Content Too Large', `The body of a request may have ${MAX_BODY_BYTES} bytes`);
  const { pathname } = URL.parse(request.url as string, 'http://localhost') ?? {};
  if (!pathname) return problem(response, 400, 'Bad Request', 'The address of the request is malformed');
  const found = MATCHERS.flatMap((match) => match(pathname) ?? []);
  const match = found.find(({ route }) => route.startsWith(`${request.method} `));
  if (match) {
    const answered = await functions.invoke(match.name, apiEvent(match.route, match.parameters, request, body));
    if (match.name === 'erase-run' && isDone(answered)) await erased?.note(match.parameters.id as string);
    return respond(response, answered);
  }
  const page = found.length === 0 ? await ownPages(pathname) : undefined;
  if (found.length === 0 && !page) return problem(response, 404, 'Not Found', `There is nothing at ${pathname}`);
  const methods = page ? ['GET', 'HEAD'] : found.map(({ route }) => route.split(' ')[0]);
  if (page && methods.includes(request.method as string)) return show(response, page);
  response.setHeader('allow', methods.join(', '));
  problem(response, 405, 'Method Not Allowed', `${pathname} does not answer ${request.method}`);
}

/** Whether a function answered that all is done. */
const isDone = (payload: string): boolean => (JSON.parse(payload) as Partial<ApiResult>).statusCode === 200;

const show = (response: ServerResponse, { html, headers }: OwnPage) => void response.writeHead(200, headers).end(html);

/** One function for each route, which tells whether a path is of its form and what its parts are. */
const MATCHERS = Object.entries(ROUTES).map(([route, name]) => {
  const pattern = new RegExp(`^${(route.split(' ')[1] as string).replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
  return (path: string): Match | undefined => {
    const match = pattern.exec(path);
    return match ? { route, name, parameters: decoded(match.groups ?? {}) } : undefined;
  };
});

const decoded = (groups: Record<string, string>) => Object.fromEntries(Object.entries(groups).map(([key, text]) => [key, decode(text)]));

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A result without a status is the body, as JSON. */
function respond(response: ServerResponse, payload: string): void {
  const result = JSON.parse(payload) as ApiResult;
  if (typeof result?.statusCode !== 'number') return void sendJson(response, 200, result);
  if (result.cookies) response.setHeader('set-cookie', result.cookies);
  response.writeHead(result.statusCode, { 'content-type': 'application/json', ...lowerCased(result.headers ?? {}) });
  response.end(Buffer.from(result.body ?? '', result.isBase64Encoded ? 'base64' : 'utf8'));
}

const lowerCased = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

function problem(response: ServerResponse, status: number, title: string, detail: string): void {
  const body: Problem = { type: 'about:blank', title, status, detail };
  sendJson(response, status, body, 'application/problem+json');
}

function failed(response: ServerResponse, error: Error): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  problem(response, 500, 'Internal Server Error', `The request failed: ${error.name}: ${error.message}`);
}
