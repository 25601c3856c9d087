import { ArnFormat, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** The ARN of a secret by its name, to which Secrets Manager adds a dash and six characters; one that is an ARN stays. */
export const secretArn = (scope: Construct, nameOrArn: string): string =>
  nameOrArn.startsWith('arn:')
    ? nameOrArn
    : Stack.of(scope).formatArn({
        service: 'secretsmanager',
        resource: 'secret',
        resourceName: `${nameOrArn}-??????`,
        arnFormat: ArnFormat.COLON_RESOURCE_NAME,
      });
