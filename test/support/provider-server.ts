import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { anthropic } from './provider-server/anthropic.ts';
import { converse } from './provider-server/converse.ts';
import { openaiChat } from './provider-server/openai-chat.ts';
import { openaiResponses } from './provider-server/openai-responses.ts';
import type { Fields, Protocol } from './provider-server/protocol.ts';

/** What the server plays for one accepted request: an answer, or a fault of the line. */
export type Played =
  | { readonly status?: number; readonly headers?: Record<string, string>; readonly body: unknown }
  /** Closes the connection before any answer, or in the middle of one. */
  | { readonly cut: 'before-answer' | 'in-body' }
  /** Never answers. */
  | { readonly hang: true };

export interface RecordedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Fields;
}

export interface ProviderServer {
  readonly url: string;
  /** Requests in the order they came, refused ones too. */
  readonly requests: readonly RecordedRequest[];
  /** Why requests were refused by their protocol's rules; empty when all were in order. */
  readonly refusals: readonly string[];
  /** Plays these for the next accepted requests. */
  readonly play: (...played: Played[]) => void;
  readonly close: () => Promise<void>;
}

const PROTOCOLS: readonly Protocol[] = [anthropic, openaiChat, openaiResponses, converse];

/** Says what is played for an accepted request when nothing is queued. */
export type Answering = (request: RecordedRequest) => Played | Promise<Played>;

const nothing: Answering = () => ({ status: 418, body: { message: 'The test queued no answer' } });

/**
 * Starts a model provider on loopback that speaks Anthropic Messages, OpenAI Chat Completions and Responses, and Bedrock
 * Converse, without streaming. It refuses what these refuse, in their words, and plays what it is told for the rest.
 */
export async function startProviderServer(answer: Answering = nothing): Promise<ProviderServer> {
  const requests: RecordedRequest[] = [];
  const refusals: string[] = [];
  const queue: Played[] = [];
  const served: unknown[] = [];
  const server = createServer(async (incoming, response) => {
    const request = await recorded(incoming);
    requests.push(request);
    const refusal = refusalOf(request, served);
    if (refusal) refusals.push(refusal.message);
    const played = refusal?.played ?? queue.shift() ?? (await answer(request));
    if (!refusal && 'body' in played) served.push(played.body);
    send(response, played);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { url, requests, refusals, play: (...played) => void queue.push(...played), close };
}

async function recorded(incoming: IncomingMessage): Promise<RecordedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return { path: incoming.url ?? '', headers: incoming.headers, body: JSON.parse(Buffer.concat(chunks).toString()) };
}

function refusalOf({ path, headers, body }: RecordedRequest, served: readonly unknown[]): { message: string; played: Played } | undefined {
  const protocol = PROTOCOLS.find((known) => known.path.test(path));
  if (!protocol) return { message: `no such path: ${path}`, played: { status: 404, body: 'Not Found' } };
  const refused = (status: number, message: string) => ({ message, played: { status, body: protocol.errorBody(status, message) } });
  const keyFault = protocol.keyFault(headers);
  if (keyFault) return refused(401, keyFault);
  const fault = protocol.fault(body, served);
  return fault ? refused(400, fault) : undefined;
}

function send(response: ServerResponse, played: Played): void {
  if ('hang' in played) return;
  if ('body' in played) {
    const { status = 200, headers = {}, body } = played;
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
  } else if (played.cut === 'before-answer') response.destroy();
  else response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1_000 }).write('{"id":', () => response.destroy());
}
