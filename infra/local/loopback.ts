import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that only this machine can reach. */
export interface Listening {
  url: string;
  port: number;
  close(): Promise<void>;
}

/** Answers requests on the loopback interface; port 0 takes any free one. */
export const listen = (listener: RequestListener, port = 0): Promise<Listening> => listenWith(createServer(listener), port);

/** The same for a server that exists. Idle connections are kept: clients hold on to theirs for as long as they like. */
export async function listenWith(server: Server, port = 0): Promise<Listening> {
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  const taken = (server.address() as AddressInfo).port;
  return { url: `http://127.0.0.1:${taken}`, port: taken, close: () => close(server) };
}

const close = (server: Server) =>
  new Promise<void>((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()));
    server.closeAllConnections();
  });

/** Reads a request's body. Fails when the client goes away; undefined when the body is larger than `limit` bytes. */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes <= limit) chunks.push(chunk);
    else chunks.length = 0;
  }
  return bytes <= limit ? Buffer.concat(chunks) : undefined;
}

/** True for requests that a page of another site, or a name that somebody points at this machine, cannot make. */
export function isLocal({ headers }: IncomingMessage, port: number): boolean {
  const hosts = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port}`);
  if (!hosts.includes(headers.host ?? '')) return false;
  // The forms of pages that tell no address come from the origin "null"; whence they really come only the browser can say.
  if (headers.origin === 'null') return headers['sec-fetch-site'] === 'same-origin';
  return headers.origin === undefined || headers.origin === `http://${headers.host}`;
}

/** Sends JSON. */
export function sendJson(response: ServerResponse, status: number, body: unknown, type = 'application/json'): void {
  response.writeHead(status, { 'content-type': type }).end(JSON.stringify(body));
}
