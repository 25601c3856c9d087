import { CloudFormationClient, DescribeStacksCommand, type Stack } from '@aws-sdk/client-cloudformation';
import type { Aws } from './aws.ts';
import { faultOf, partitionOf } from './aws-refusal.ts';
import { oneLine } from './clean.ts';
import { UnreachableError } from './client.ts';
import { AccessError } from './gate.ts';

/** The state machine of a deployment, as its stack says it. */
export interface DeployedMachine {
  /** The ARN of the version that new runs start on. */
  readonly current: string;
  /** The state of the stack, and whether no change of it is under way or stuck. */
  readonly status: string;
  readonly settled: boolean;
}

/** Finds the address of a deployment's HTTP API. Throws an AccessError, or an UnreachableError when AWS does not answer. */
export async function addressOfStack(aws: Aws, name: string): Promise<string> {
  return outputOf(await describe(aws, name), 'ApiUrl', name, await aws.region());
}

/** Finds the state machine of a deployment. Throws as `addressOfStack` does. */
export async function machineOfStack(aws: Aws, name: string): Promise<DeployedMachine> {
  const stack = await describe(aws, name);
  const status = statusOf(stack);
  return { current: outputOf(stack, 'StateMachineVersion', name, await aws.region()), status, settled: status.endsWith('_COMPLETE') };
}

function outputOf(stack: Stack | undefined, output: string, name: string, region: string): string {
  const value = stack?.Outputs?.find(({ OutputKey }) => OutputKey === output)?.OutputValue;
  if (value) return value;
  throw new AccessError(
    `${cannot(name, region)}: it has no output ${output} (its status is ${statusOf(stack)}), so it is no deployment of Holdfast, or not yet. Name another with --stack.`,
  );
}

const statusOf = (stack: Stack | undefined): string => stack?.StackStatus ?? 'unknown';

async function describe(aws: Aws, name: string): Promise<Stack | undefined> {
  const region = await aws.region();
  const client = new CloudFormationClient({ region, credentials: aws.credentials });
  try {
    return (await client.send(new DescribeStacksCommand({ StackName: name }))).Stacks?.[0];
  } catch (error) {
    throw error instanceof AccessError ? error : await refused(aws, error as AwsFailure, name, region);
  } finally {
    client.destroy();
  }
}

type AwsFailure = Error & { readonly $metadata?: { readonly httpStatusCode?: number } };

async function refused(aws: Aws, error: AwsFailure, name: string, region: string): Promise<Error> {
  if (error.$metadata?.httpStatusCode === undefined)
    return new UnreachableError(`${cannot(name, region)}: CloudFormation does not answer there (${error.message || error.name}).`, {
      cause: error,
    });
  return new AccessError(`${cannot(name, region)}: ${await reasonFor(aws, error, name, region)}`, { cause: error });
}

async function reasonFor(aws: Aws, error: AwsFailure, name: string, region: string): Promise<string> {
  if (error.name === 'ValidationError' && error.message.includes('does not exist'))
    return 'these credentials see no stack of that name. Name another with --stack, or its region with --region.';
  const { accountId = '*', expiration } = await aws.credentials();
  const stack = `arn:${partitionOf(region)}:cloudformation:${region}:${accountId}:stack/${oneLine(name, 128)}/*`;
  return (
    faultOf(`${error.name} ${error.message}`, { expiration }) ??
    (/AccessDenied/.test(error.name)
      ? `the AWS credentials need the action cloudformation:DescribeStacks on ${stack}; or give the address itself with --url.`
      : error.message)
  );
}

const cannot = (name: string, region: string): string => `Cannot find stack "${oneLine(name, 128)}" in ${region}`;
