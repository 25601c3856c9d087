import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { accept } from './accepted.ts';

/** Invokes a function every minute. One that fails is not tried again: the next minute does that. */
export class Sweep extends Construct {
  constructor(scope: Construct, sweep: IFunction) {
    super(scope, 'Sweep');
    const target = new LambdaFunction(sweep, { retryAttempts: 0, maxEventAge: Duration.minutes(1) });
    const rule = new Rule(this, 'Rule', { schedule: Schedule.rate(Duration.minutes(1)), targets: [target] });
    accept(rule, { 'Serverless-EventBusDLQ': 'A sweep that is lost is made up for by the next, a minute later' });
  }
}
