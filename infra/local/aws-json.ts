import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Operation } from './aws-service.ts';
import { isLocal, readBody, sendJson } from './loopback.ts';

/** A service that speaks a version of the AWS JSON protocol. */
export interface JsonService {
  version: '1.0' | '1.1';
  operations: Record<string, Operation>;
}

const MAX_REQUEST_BYTES = 1024 * 1024;

/** Answers the operations of services, which requests name in their target before the operation. */
export const awsJson =
  (services: Record<string, JsonService>): RequestListener =>
  (request, response) =>
    void answer(request, response, services).catch(() => response.destroy());

async function answer(request: IncomingMessage, response: ServerResponse, services: Record<string, JsonService>): Promise<void> {
  const body = await readBody(request, MAX_REQUEST_BYTES);
  if (!isLocal(request, request.socket.localPort as number)) return void response.writeHead(403).end();
  const [target = '', name = ''] = String(request.headers['x-amz-target']).split('.');
  const service = services[target];
  const type = `application/x-amz-json-${service?.version ?? '1.0'}`;
  const operation = service?.operations[name];
  if (!operation) return sendJson(response, 400, { __type: 'UnknownOperationException' }, type);
  try {
    sendJson(response, 200, await operation(JSON.parse(body?.toString() || '{}')), type);
  } catch (error) {
    const { name, message } = error as Error;
    sendJson(response, 400, { __type: name === 'SyntaxError' ? 'SerializationException' : name, message }, type);
  }
}
