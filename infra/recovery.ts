import { Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { Function as LambdaFn } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';

/**
 * Tells a function about every execution that ended otherwise than well: no state of it can do so any more. What cannot
 * be told, or fails when it is, goes to a queue.
 */
export class Recovery extends Construct {
  constructor(scope: Construct, machine: StateMachine, recover: LambdaFn, undelivered: Queue) {
    super(scope, 'Recovery');
    recover.configureAsyncInvoke({ onFailure: new SqsDestination(undelivered), retryAttempts: 2 });
    new Rule(this, 'Rule', {
      eventPattern: {
        source: ['aws.states'],
        detailType: ['Step Functions Execution Status Change'],
        detail: { stateMachineArn: [machine.stateMachineArn], status: ['FAILED', 'TIMED_OUT', 'ABORTED'] },
      },
      targets: [new LambdaFunction(recover, { deadLetterQueue: undelivered })],
    });
  }
}
