import { Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';

/** Tells a function about every execution that ended otherwise than well: no state of it can do so any more. */
export class Recovery extends Construct {
  constructor(scope: Construct, machine: StateMachine, recover: IFunction) {
    super(scope, 'Recovery');
    new Rule(this, 'Rule', {
      eventPattern: {
        source: ['aws.states'],
        detailType: ['Step Functions Execution Status Change'],
        detail: { stateMachineArn: [machine.stateMachineArn], status: ['FAILED', 'TIMED_OUT', 'ABORTED'] },
      },
      targets: [new LambdaFunction(recover)],
    });
  }
}
