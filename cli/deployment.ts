import { CloudFormationClient, DescribeStacksCommand, type Stack } from '@aws-sdk/client-cloudformation';
import type { Aws } from './aws.ts';
import { faultOf, partitionOf } from './aws-refusal.ts';
import { oneLine } from './clean.ts';
import { UnreachableError } from './client.ts';
import { AccessError } from './gate.ts';

/** The output of the stack that holds the address of its HTTP API. */
const OUTPUT = 'ApiUrl';

/** Finds the address of a deployment's HTTP API. Throws an AccessError, or an UnreachableError when AWS does not answer. */
export async function addressOfStack(aws: Aws, name: string): Promise<string> {
  const region = await aws.region();
  const stack = await describe(aws, name, region);
  const address = stack?.Outputs?.find(({ OutputKey }) => OutputKey === OUTPUT)?.OutputValue;
  if (address) return address;
  throw new AccessError(
    `${cannot(name, region)}: it has no output ${OUTPUT} (its status is ${stack?.StackStatus ?? 'unknown'}), so it is no deployment of Holdfast, or not yet. Name another with --stack.`,
  );
}

async function describe(aws: Aws, name: string, region: string): Promise<Stack | undefined> {
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
