import { buffer } from 'node:stream/consumers';
import { type Listening, listen } from '../../infra/local/loopback.ts';

/** The simulator looks at the form of a signature and not at what it says. */
const SIGNATURE = 'AWS4-HMAC-SHA256 Credential=x/y, SignedHeaders=host, Signature=0';
const KEPT = ['content-type', 'idempotency-key'];

/** Stands before an API and signs, or shows a token with, what is sent to it, so that any client of the HTTP API can be used. */
export const startSigner = (target: string, authorization = SIGNATURE): Promise<Listening> =>
  listen((request, response) => {
    const kept = KEPT.flatMap((name) => (request.headers[name] ? [[name, String(request.headers[name])] as const] : []));
    const headers = { ...Object.fromEntries(kept), authorization };
    const { method = 'GET', url = '/' } = request;
    const relay = async () => {
      const body = await buffer(request);
      const answer = await fetch(target + url, { method, headers, redirect: 'manual', ...(body.length > 0 ? { body } : {}) });
      const type = answer.headers.get('content-type');
      response.writeHead(answer.status, type ? { 'content-type': type } : {}).end(Buffer.from(await answer.arrayBuffer()));
    };
    relay().catch(() => response.destroy());
  });
