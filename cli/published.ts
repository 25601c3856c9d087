import { DeleteFunctionCommand, LambdaClient, ListVersionsByFunctionCommand } from '@aws-sdk/client-lambda';
import {
  DeleteStateMachineVersionCommand,
  DescribeStateMachineCommand,
  ListStateMachineVersionsCommand,
  SFNClient,
} from '@aws-sdk/client-sfn';
import type { Aws } from './aws.ts';
import { faultOf } from './aws-refusal.ts';
import { oneLine } from './clean.ts';
import { UnreachableError } from './client.ts';
import { AccessError } from './gate.ts';
import { functionsIn, type MachineVersion, splitVersion } from './prune.ts';

/**
 * What deployments have published, in a region: versions of a state machine, and of functions. Each function throws an
 * AccessError when AWS refuses, or an UnreachableError when it does not answer.
 */
export interface Published {
  /** The versions of the state machine with this ARN, newest first. */
  readonly versions: (machine: string) => Promise<MachineVersion[]>;
  /** The function versions that the state machine or version with this ARN invokes. */
  readonly invokedBy: (machine: string) => Promise<string[]>;
  /** The published versions of the function with this ARN, oldest first; none when there is no such function. */
  readonly functionVersions: (name: string) => Promise<string[]>;
  /** Deletes a version of the state machine; one that is gone already is as good. */
  readonly deleteVersion: (arn: string) => Promise<void>;
  /** Deletes a version of a function; one that is gone already is as good. */
  readonly deleteFunctionVersion: (arn: string) => Promise<void>;
}

/** Opens Step Functions and Lambda for one command. */
export async function openPublished(aws: Aws): Promise<Published> {
  const settings = { region: await aws.region(), credentials: aws.credentials };
  const states = new SFNClient(settings);
  const lambda = new LambdaClient(settings);
  const told = <T>(what: string, call: Promise<T>) => call.catch((error: AwsFailure) => refused(aws, what, error));
  const invokedBy = async (arn: string) => {
    const command = new DescribeStateMachineCommand({ stateMachineArn: arn });
    return functionsIn((await told(`read ${arn}`, states.send(command))).definition ?? '');
  };
  return {
    invokedBy,
    versions: async (machine) => {
      const found = await told(`list the versions of ${machine}`, versionsOf(states, machine));
      const whole: MachineVersion[] = [];
      for (const one of found) whole.push({ ...one, functions: await invokedBy(one.arn) });
      return whole.toSorted((a, b) => b.version - a.version);
    },
    functionVersions: (name) => told(`list the versions of ${name}`, unlessGone(functionVersionsOf(lambda, name), [])),
    deleteVersion: async (arn) => {
      const command = new DeleteStateMachineVersionCommand({ stateMachineVersionArn: arn });
      await told(`delete ${arn}`, unlessGone(states.send(command), undefined));
    },
    deleteFunctionVersion: async (arn) => {
      // Without its version this would be the function itself.
      const { whole, version } = splitVersion(arn);
      const command = new DeleteFunctionCommand({ FunctionName: whole, Qualifier: String(version) });
      await told(`delete ${arn}`, unlessGone(lambda.send(command), undefined));
    },
  };
}

async function versionsOf(states: SFNClient, machine: string): Promise<Omit<MachineVersion, 'functions'>[]> {
  const found: Omit<MachineVersion, 'functions'>[] = [];
  for (let nextToken: string | undefined; ; ) {
    const page = await states.send(new ListStateMachineVersionsCommand({ stateMachineArn: machine, nextToken }));
    for (const { stateMachineVersionArn: arn = '', creationDate } of page.stateMachineVersions ?? [])
      found.push({ arn, version: splitVersion(arn).version, publishedAt: creationDate?.getTime() ?? Number.NaN });
    nextToken = page.nextToken;
    if (!nextToken) return found;
  }
}

async function functionVersionsOf(lambda: LambdaClient, name: string): Promise<string[]> {
  const found: string[] = [];
  for (let marker: string | undefined; ; ) {
    const page = await lambda.send(new ListVersionsByFunctionCommand({ FunctionName: name, Marker: marker }));
    // $LATEST is no published version.
    for (const { FunctionArn: arn = '' } of page.Versions ?? []) if (/:\d+$/.test(arn)) found.push(arn);
    marker = page.NextMarker;
    if (!marker) return found.toSorted((a, b) => splitVersion(a).version - splitVersion(b).version);
  }
}

type AwsFailure = Error & { readonly $metadata?: { readonly httpStatusCode?: number } };

const GONE: readonly string[] = ['StateMachineDoesNotExist', 'ResourceNotFoundException', 'ResourceNotFound'];

async function unlessGone<T>(call: Promise<T>, instead: T): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (GONE.includes((error as Error).name)) return instead;
    throw error;
  }
}

/** AWS names the action and the resource itself when a right is missing. */
async function refused(aws: Aws, what: string, error: AwsFailure): Promise<never> {
  if (error instanceof AccessError) throw error;
  const said = oneLine(error.message || error.name, 500);
  if (error.$metadata?.httpStatusCode === undefined)
    throw new UnreachableError(`Cannot ${what}: AWS does not answer in ${await aws.region()} (${said}).`, { cause: error });
  const { expiration } = await aws.credentials();
  throw new AccessError(`Cannot ${what}: ${faultOf(`${error.name} ${said}`, { expiration }) ?? said}`, { cause: error });
}
