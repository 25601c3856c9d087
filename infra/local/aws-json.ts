import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { isLocal, readBody } from './loopback.ts';
import type { Operation } from './step-functions.ts';

const TYPE = 'application/x-amz-json-1.0';
const MAX_REQUEST_BYTES = 1024 * 1024;

/** Answers a service's operations in the AWS JSON 1.0 protocol. */
export const awsJson =
  (operations: Record<string, Operation>): RequestListener =>
  (request, response) =>
    void answer(request, response, operations).catch(() => response.destroy());

async function answer(request: IncomingMessage, response: ServerResponse, operations: Record<string, Operation>): Promise<void> {
  const body = await readBody(request, MAX_REQUEST_BYTES);
  if (!isLocal(request, request.socket.localPort as number)) return void response.writeHead(403).end();
  const operation = operations[String(request.headers['x-amz-target']).split('.')[1] ?? ''];
  if (!operation) return send(response, 400, { __type: 'UnknownOperationException' });
  try {
    send(response, 200, await operation(JSON.parse(body?.toString() || '{}')));
  } catch (error) {
    const { name, message } = error as Error;
    send(response, 400, { __type: name === 'SyntaxError' ? 'SerializationException' : name, message });
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': TYPE }).end(JSON.stringify(body));
}
