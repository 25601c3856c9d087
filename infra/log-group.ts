import { RemovalPolicy } from 'aws-cdk-lib';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Settings } from './settings.ts';

/** A log group. It goes with its stack: what runs did is in the tables. */
export const logGroup = (scope: Construct, id: string, logGroupName: string, { logRetentionDays }: Settings) =>
  new LogGroup(scope, id, { logGroupName, retention: logRetentionDays, removalPolicy: RemovalPolicy.DESTROY });
