import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '../../infra/local/loopback.ts';

const ACCOUNT = 'eu-central-1:123456789012';
/** The ARN of the state machine, and of its version of a number. */
export const MACHINE = `arn:aws:states:${ACCOUNT}:stateMachine:holdfast-dev`;
export const versionArn = (version: number) => `${MACHINE}:${version}`;
/** The ARN of a version of a function. */
export const functionArn = (name: string, version: number) => `arn:aws:lambda:${ACCOUNT}:function:${name}:${version}`;

/** What Step Functions and Lambda hold; a test changes it as deployments would. */
export interface FakePublished {
  readonly statesUrl: string;
  readonly lambdaUrl: string;
  /** The published versions of the state machine, each with when it was published and the function versions it invokes. */
  readonly versions: Map<number, { publishedAt: number; functions: string[] }>;
  /** The function versions that the state machine itself invokes. */
  readonly own: { functions: string[] };
  /** Published function versions. */
  readonly functions: Set<string>;
  /** What was deleted, in order, whether it was there or not. */
  readonly deleted: string[];
  /** Is called before a deletion; what it throws is answered as an error of that name. */
  readonly hook: { beforeDelete?: (arn: string) => void };
  readonly close: () => Promise<void>;
}

/** Starts a fake of Step Functions and one of Lambda on free ports of the loopback interface. Their pages hold two entries. */
export async function startFakePublished(): Promise<FakePublished> {
  const inner: Inner = { versions: new Map(), own: { functions: [] }, functions: new Set(), deleted: [], hook: {} };
  const states = await listen((request, response) => void answered(response, answerAsStates(inner, request)));
  const lambda = await listen((request, response) => void answered(response, answerAsLambda(inner, request)));
  const close = async () => void (await Promise.all([states.close(), lambda.close()]));
  return { ...inner, statesUrl: states.url, lambdaUrl: lambda.url, close };
}

type Inner = Omit<FakePublished, 'statesUrl' | 'lambdaUrl' | 'close'>;

const PAGE = 2;

/** A refusal of AWS. */
export class Refusal extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

async function answered(response: ServerResponse, answer: Promise<object>): Promise<void> {
  try {
    const body = JSON.stringify(await answer);
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  } catch (error) {
    const { name, message } = error as Error;
    const headers = { 'content-type': 'application/json', 'x-amzn-errortype': name };
    response.writeHead(400, headers).end(JSON.stringify({ __type: name, message }));
  }
}

function remove(inner: Inner, arn: string, gone: () => boolean, name: string): object {
  inner.hook.beforeDelete?.(arn);
  inner.deleted.push(arn);
  if (!gone()) throw new Refusal(name, `there is no ${arn}`);
  return {};
}

async function answerAsStates(inner: Inner, request: IncomingMessage): Promise<object> {
  const input = JSON.parse(await text(request));
  switch (String(request.headers['x-amz-target']).split('.')[1]) {
    case 'ListStateMachineVersions': {
      const all = [...inner.versions].toSorted(([a], [b]) => b - a);
      const start = Number(input.nextToken ?? 0);
      const stateMachineVersions = all.slice(start, start + PAGE).map(([version, { publishedAt }]) => ({
        stateMachineVersionArn: versionArn(version),
        creationDate: publishedAt / 1000,
      }));
      return { stateMachineVersions, ...(start + PAGE < all.length ? { nextToken: String(start + PAGE) } : {}) };
    }
    case 'DescribeStateMachine':
      return { stateMachineArn: input.stateMachineArn, definition: definitionOf(functionsOf(inner, input.stateMachineArn)) };
    case 'DeleteStateMachineVersion': {
      const arn = input.stateMachineVersionArn;
      return remove(inner, arn, () => inner.versions.delete(Number(arn.split(':').at(-1))), 'StateMachineDoesNotExist');
    }
    default:
      throw new Refusal('UnknownOperationException', 'the fake of Step Functions was used wrongly');
  }
}

function functionsOf({ versions, own }: Inner, arn: string): string[] {
  const found = arn === MACHINE ? own : versions.get(Number(arn.split(':').at(-1)));
  if (!found) throw new Refusal('StateMachineDoesNotExist', `State Machine Does Not Exist: '${arn}'`);
  return found.functions;
}

const definitionOf = (functions: readonly string[]) =>
  JSON.stringify({
    StartAt: 's0',
    States: Object.fromEntries(
      functions.map((FunctionName, i) => [
        `s${i}`,
        { Type: 'Task', Resource: 'arn:aws:states:::lambda:invoke', Parameters: { FunctionName, 'Payload.$': '$' }, End: true },
      ]),
    ),
  });

async function answerAsLambda(inner: Inner, { method, url = '' }: IncomingMessage): Promise<object> {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const [, whole = '', versions] = /^\/2015-03-31\/functions\/([^/]+)(\/versions)?$/.exec(pathname) ?? [];
  const name = decodeURIComponent(whole);
  if (method === 'GET' && versions) {
    const all = [`${name}:$LATEST`, ...[...inner.functions].filter((arn) => arn.startsWith(`${name}:`))];
    if (all.length === 1) throw new Refusal('ResourceNotFoundException', `Function not found: ${name}`);
    const start = Number(searchParams.get('Marker') ?? 0);
    const Versions = all.slice(start, start + PAGE).map((FunctionArn) => ({ FunctionArn, Version: FunctionArn.split(':').at(-1) }));
    return { Versions, ...(start + PAGE < all.length ? { NextMarker: String(start + PAGE) } : {}) };
  }
  if (method !== 'DELETE' || !searchParams.get('Qualifier')) throw new Refusal('InvalidRequest', 'the fake of Lambda was used wrongly');
  const arn = `${name}:${searchParams.get('Qualifier')}`;
  return remove(inner, arn, () => inner.functions.delete(arn), 'ResourceNotFoundException');
}
