import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type Listening, listen } from '../../infra/local/loopback.ts';
import { type FakeRun, type FakeService, startFakeService } from './fake-service.ts';
import { bodyHash, type Received, signatureIn, signatureOf } from './signature.ts';

/** The one identity that the fake of AWS knows. */
export const IDENTITY = { keyId: 'AKIDEXAMPLE', secret: 'a/secret+key', token: 'session-token/of+sts==' };
export const REGION = 'eu-central-1';
/** The one token that the fake JWT authorizer takes. */
export const JWT = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJraW0ifQ.c2lnbmF0dXJl';

/** A deployment on AWS, as far as the command sees it: its stack, and its API behind an authorizer. */
export interface FakeDeployment {
  readonly service: FakeService;
  readonly apiUrl: string;
  readonly cloudFormationUrl: string;
  /** Requests that were let in and sent back by the API, and how. */
  readonly seen: { received: Received; fault: string | undefined }[];
  /** The stacks by name, each with its outputs. */
  readonly stacks: Map<string, Record<string, string>>;
  /** The status of every stack. */
  readonly state: { status: string };
  /** Answers of AWS instead of its own: `cloudformation` as an error's code and message, `api` as a 403 that says this. */
  readonly refusal: { cloudformation?: [code: string, message: string]; api?: string; status?: number };
  /** How far the clock of AWS is ahead of ours, ms. */
  readonly clock: { aheadMs: number };
  readonly close: () => Promise<void>;
}

/** Starts a deployment on free ports of the loopback interface. Its API has an IAM authorizer, or a JWT authorizer. */
export async function startFakeDeployment(runs: FakeRun[], authorizer: 'iam' | 'jwt' = 'iam'): Promise<FakeDeployment> {
  const service = await startFakeService(runs);
  const inner = { service, seen: [], stacks: new Map(), state: { status: 'CREATE_COMPLETE' }, refusal: {}, clock: { aheadMs: 0 } };
  const api = await listen((request, response) => void answerAsApi({ ...inner, authorizer }, request, response));
  const cloudFormation = await listen((request, response) => void answerAsCloudFormation(inner, request, response));
  inner.stacks.set('holdfast', { Other: 'x', ApiUrl: api.url });
  const all: Pick<Listening, 'close'>[] = [api, cloudFormation, service];
  return {
    ...inner,
    apiUrl: api.url,
    cloudFormationUrl: cloudFormation.url,
    close: async () => void (await Promise.all(all.map((one) => one.close()))),
  };
}

type Inner = Pick<FakeDeployment, 'service' | 'seen' | 'stacks' | 'state' | 'refusal' | 'clock'>;

async function receivedBy(request: IncomingMessage): Promise<Received> {
  const { method = '', url = '', headers } = request;
  return { method, target: url, headers: headers as Record<string, string>, body: await buffer(request) };
}

/** Why a signature does not hold, or undefined. Everything that the command says must be under it. */
function faultIn(request: Received, service: string, { clock }: Inner): string | undefined {
  const found = signatureIn(request);
  if (!found) return 'not signed';
  const { headers, body } = request;
  const bound = ['host', 'x-amz-date', 'x-amz-security-token', 'x-amz-content-sha256', 'content-type', 'idempotency-key', 'accept'];
  const unsigned = bound.filter((name) => headers[name] !== undefined && !found.signed.includes(name) && service === 'execute-api');
  if (unsigned.length > 0) return `outside of the signature: ${unsigned}`;
  if (service === 'execute-api' && headers['x-amz-content-sha256'] !== bodyHash(body)) return 'another body';
  if (found.keyId !== IDENTITY.keyId || headers['x-amz-security-token'] !== IDENTITY.token) return 'another identity';
  if (found.region !== REGION || found.service !== service) return `signed for ${found.service} in ${found.region}`;
  const [, y, mo, d, h, mi, s] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(headers['x-amz-date'] ?? '') ?? [];
  const at = Date.parse(`${y}-${mo}-${d}T${h}:${mi}:${s}Z`);
  if (!(Math.abs(Date.now() + clock.aheadMs - at) < 5 * 60_000)) return 'another time';
  return found.signature === signatureOf(request, IDENTITY.secret) ? undefined : 'another signature';
}

const dated = ({ clock }: Inner): Record<string, string> => ({ date: new Date(Date.now() + clock.aheadMs).toUTCString() });

/** The API: lets in what is signed or bears the token, and says as little as API Gateway of what it does not. */
async function answerAsApi(
  inner: Inner & { authorizer: 'iam' | 'jwt' },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<unknown> {
  const received = await receivedBy(request);
  const { authorization } = received.headers;
  const jwtFault = authorization === `Bearer ${JWT}` ? undefined : 'another token';
  const fault = inner.refusal.api ?? (inner.authorizer === 'jwt' ? jwtFault : faultIn(received, 'execute-api', inner));
  inner.seen.push({ received, fault });
  if (fault === undefined) return relay(inner.service, received, response);
  const status = inner.refusal.status ?? (inner.authorizer === 'jwt' ? 401 : 403);
  const challenge = `Bearer scope="" error="invalid_token" error_description="the token ${authorization?.slice(7)} has expired"`;
  const message = inner.refusal.api ?? (status === 401 ? 'Unauthorized' : 'Forbidden');
  const headers = { ...dated(inner), 'content-type': 'application/json', ...(status === 401 ? { 'www-authenticate': challenge } : {}) };
  return response.writeHead(status, headers).end(JSON.stringify({ message }));
}

async function relay(service: FakeService, { method, target, headers, body }: Received, response: ServerResponse) {
  const kept = ['content-type', 'idempotency-key'].flatMap((name) => (headers[name] ? [[name, headers[name]]] : []));
  const init = { method, headers: Object.fromEntries(kept), ...(body.length > 0 ? { body: new Uint8Array(body as Buffer) } : {}) };
  try {
    const answer = await fetch(service.url + target, init);
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(Buffer.from(await answer.arrayBuffer()));
  } catch {
    response.destroy();
  }
}

async function answerAsCloudFormation(inner: Inner, request: IncomingMessage, response: ServerResponse): Promise<unknown> {
  const received = await receivedBy(request);
  const asked = new URLSearchParams(received.body.toString());
  const name = asked.get('StackName') ?? '';
  const fault = faultIn(received, 'cloudformation', inner);
  const outputs = inner.stacks.get(name);
  const send = (status: number, xml: string) => response.writeHead(status, { ...dated(inner), 'content-type': 'text/xml' }).end(xml);
  const refuse = (code: string, message: string) =>
    send(
      code.startsWith('Access') ? 403 : 400,
      `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`,
    );
  if (inner.refusal.cloudformation) return refuse(...inner.refusal.cloudformation);
  if (fault || asked.get('Action') !== 'DescribeStacks') return refuse('SignatureDoesNotMatch', String(fault));
  if (!outputs) return refuse('ValidationError', `Stack with id ${name} does not exist`);
  const members = Object.entries(outputs).map(
    ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  const stack = `<StackName>${name}</StackName><StackStatus>${inner.state.status}</StackStatus><Outputs>${members.join('')}</Outputs>`;
  return send(
    200,
    `<DescribeStacksResponse><DescribeStacksResult><Stacks><member>${stack}</member></Stacks></DescribeStacksResult></DescribeStacksResponse>`,
  );
}
