import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { FunctionName } from '../../shared/functions.ts';
import type { Host } from './host-options.ts';
import { isLocal, readBody, sendJson } from './loopback.ts';

/** The control of a host that runs as a process of its own: `GET` what it counts, `POST` to end a worker. Not part of the API. */
export const control =
  (host: () => Host, otherwise: RequestListener): RequestListener =>
  (request, response) => {
    if (!request.url?.startsWith('/_host/')) return otherwise(request, response);
    void answer(host(), request, response).catch(() => response.destroy());
  };

async function answer(host: Host, request: IncomingMessage, response: ServerResponse): Promise<void> {
  await readBody(request, 0);
  if (!isLocal(request, request.socket.localPort as number)) return sendJson(response, 403, {});
  const [, , topic, name, signal] = (request.url as string).split('/');
  if (request.method === 'GET' && topic === 'info') return sendJson(response, 200, host.info());
  if (request.method === 'POST' && topic === 'kill') {
    return sendJson(response, 200, { pid: host.kill(name as FunctionName, signal as NodeJS.Signals | undefined) });
  }
  sendJson(response, 404, {});
}
