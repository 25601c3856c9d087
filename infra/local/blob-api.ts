import { createHash } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { BlobFolder } from './blob-folder.ts';
import { isLocal, readBody } from './loopback.ts';
import { BUCKET } from './names.ts';

const MAX_REQUEST_BYTES = 200 * 1024 * 1024;

/** Answers the operations of S3 that handlers call, path style, on a folder: PutObject, GetObject, DeleteObject, ListObjectsV2. */
export const blobApi =
  (folder: BlobFolder): RequestListener =>
  (request, response) =>
    void answer(folder, request, response).catch(() => response.destroy());

interface S3Error {
  readonly status: number;
  readonly code: string;
}

async function answer(folder: BlobFolder, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(request, MAX_REQUEST_BYTES);
  if (!isLocal(request, request.socket.localPort as number)) return void response.writeHead(403).end();
  const url = new URL(request.url ?? '/', 'http://localhost');
  const [, bucket = '', ...parts] = url.pathname.split('/');
  const key = parts.join('/');
  if (bucket !== BUCKET) return refuse(response, { status: 404, code: 'NoSuchBucket' });
  if (!body) return refuse(response, { status: 400, code: 'EntityTooLarge' });
  if (request.method === 'PUT') return put(folder, key, { request, body }, response);
  if (request.method === 'DELETE') {
    await folder.remove(key);
    return void response.writeHead(204).end();
  }
  if (request.method !== 'GET') return refuse(response, { status: 405, code: 'MethodNotAllowed' });
  if (key === '') return list(folder, url.searchParams, response);
  const found = await folder.get(key);
  return found ? void response.writeHead(200).end(found) : refuse(response, { status: 404, code: 'NoSuchKey' });
}

interface Sent {
  readonly request: IncomingMessage;
  readonly body: Buffer;
}

/** Only what cannot replace anything is taken: the handlers never mean to. */
async function put(folder: BlobFolder, key: string, { request, body }: Sent, response: ServerResponse): Promise<void> {
  const { 'if-none-match': unless, 'x-amz-content-sha256': hash } = request.headers;
  if (unless !== '*') return refuse(response, { status: 501, code: 'NotImplemented' });
  if (hash !== createHash('sha256').update(body).digest('hex')) return refuse(response, { status: 400, code: 'XAmzContentSHA256Mismatch' });
  if (await folder.put(key, body)) return void response.writeHead(200).end();
  refuse(response, { status: 412, code: 'PreconditionFailed' });
}

/** One page of keys, as many as S3 gives. */
const PAGE = 1000;

async function list(folder: BlobFolder, query: URLSearchParams, response: ServerResponse): Promise<void> {
  const after = query.get('continuation-token') ?? '';
  const keys = (await folder.list(query.get('prefix') ?? '')).filter((key) => key > after);
  const page = keys.slice(0, PAGE);
  const more = keys.length > PAGE ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
  const contents = page.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('');
  xml(response, 200, `<ListBucketResult>${more}${contents}</ListBucketResult>`);
}

const refuse = (response: ServerResponse, { status, code }: S3Error): void => xml(response, status, `<Error><Code>${code}</Code></Error>`);

const xml = (response: ServerResponse, status: number, text: string): void =>
  void response.writeHead(status, { 'content-type': 'application/xml' }).end(`<?xml version="1.0" encoding="UTF-8"?>${text}`);
