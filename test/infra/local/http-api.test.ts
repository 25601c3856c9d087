import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Host, startHost } from '../../../infra/local/host.ts';
import { MAX_BODY_BYTES, problem } from '../../../shared/api.ts';
import { HANDLERS, send, startScriptedHost } from './scripted-host.ts';

let host: Host;

beforeAll(async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'holdfast-api-'));
  host = await startHost({ dataDir, handlers: HANDLERS });
  return async () => {
    await host.stop();
    rmSync(dataDir, { recursive: true });
  };
});

const shown = async (path: string, headers: Record<string, string> = {}) => (await send(host.url, path, { headers })).json();

/** The status of a request whose headers the usual clients would not send. */
const statusWith = (headers: Record<string, string>) =>
  new Promise<number | undefined>((resolve, reject) =>
    request(`${host.url}/agents`, { headers }, (response) => resolve(response.resume().statusCode))
      .once('error', reject)
      .end(),
  );

describe('the HTTP API', () => {
  it('hands a request to its function in payload format 2.0', async () => {
    expect(await shown('/runs/a%2Fb/records?after=1&x=a&x=b%20c', { 'X-Name': 'value', cookie: 'a=1; b=2' })).toMatchObject({
      version: '2.0',
      routeKey: 'GET /runs/{id}/records',
      rawPath: '/runs/a%2Fb/records',
      rawQueryString: 'after=1&x=a&x=b%20c',
      queryStringParameters: { after: '1', x: 'a,b c' },
      pathParameters: { id: 'a/b' },
      headers: { 'x-name': 'value' },
      cookies: ['a=1', 'b=2'],
      requestContext: { http: { method: 'GET', path: '/runs/a%2Fb/records', sourceIp: '127.0.0.1' }, stage: '$default' },
      isBase64Encoded: false,
    });
  });

  it('leaves out what a request does not have', async () => {
    const event = await shown('/agents');
    for (const field of ['body', 'cookies', 'pathParameters', 'queryStringParameters']) expect(event).not.toHaveProperty(field);
  });

  it.each(['text/plain', 'application/octet-stream'])('passes a body of type %s both ways', async (type) => {
    const body = type === 'text/plain' ? 'grüß dich' : new Uint8Array([0, 255, 254]);
    const response = await send(host.url, '/runs/A/messages', { method: 'POST', headers: { 'content-type': type }, body });
    expect(response.status).toBe(201);
    expect(response.headers.get('content-type')).toBe('application/octet-stream');
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.from(body as string));
  });

  it.each([
    ['GET', '/nowhere', 404],
    ['GET', '/runs/A/B/C', 404],
    ['DELETE', '/runs', 405],
    ['GET', '/asks/A/answer', 405],
  ])('answers %s %s with a problem', async (method, path, status) => {
    const response = await send(host.url, path, { method });
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(problem.parse(await response.json()).status).toBe(status);
  });

  it('says which methods a path takes', async () => {
    expect((await send(host.url, '/runs', { method: 'PATCH' })).headers.get('allow')).toBe('POST, GET');
  });

  it('refuses a body that is too large', async () => {
    const response = await send(host.url, '/runs', { method: 'POST', body: 'x'.repeat(MAX_BODY_BYTES + 1) });
    expect(response.status).toBe(413);
  });

  it('refuses names and pages that are not of this machine', async () => {
    const port = new URL(host.url).port;
    expect(await statusWith({ host: `127.0.0.1:${port}` })).toBe(200);
    expect(await statusWith({ host: `localhost:${port}` })).toBe(200);
    expect(await statusWith({ host: `example.com:${port}` })).toBe(403);
    expect((await send(host.url, '/agents', { headers: { origin: 'https://example.com' } })).status).toBe(403);
    expect((await send(host.url, '/agents', { headers: { origin: 'null' } })).status).toBe(403);
    expect((await send(host.url, '/agents', { headers: { origin: host.url } })).status).toBe(200);
  });

  it.each([
    ['same-origin', 200],
    ['same-site', 403],
    ['cross-site', 403],
    ['none', 403],
  ])('takes a form of a page that tells no address as %s says', async (site, status) => {
    expect(await statusWith({ origin: 'null', 'sec-fetch-site': site })).toBe(status);
  });

  it('keeps pages of other sites from the tables and the services too', async () => {
    const headers = { origin: 'https://example.com' };
    for (const url of [host.endpoints.store, host.endpoints.stepFunctions]) {
      expect((await send(url, '/', { method: 'POST', headers })).status).toBe(403);
      expect((await send(url, '/', { method: 'OPTIONS', headers })).headers.has('access-control-allow-origin')).toBe(false);
    }
    expect((await send(host.controlUrl, '/info', { headers })).status).toBe(403);
  });

  it('answers with a problem when the function fails', async () => {
    const response = await send(host.url, '/runs', { method: 'POST', body: 'no JSON' });
    expect(response.status).toBe(500);
    expect((await response.json()).detail).toContain('SyntaxError');
  });
});

describe('the control', () => {
  it('shows what the host counts, and ends workers', async () => {
    const other = await startScriptedHost();
    await send(other.url, '/agents');
    const info = await (await send(other.controlUrl, '/info')).json();
    expect(info).toMatchObject({ pid: process.pid, invocations: { 'read-runs': { started: 1, failed: 0 } } });
    const killed = await (await send(other.controlUrl, '/kill/read-runs', { method: 'POST' })).json();
    expect([killed.pid]).toEqual(info.workers['read-runs']);
  });
});
