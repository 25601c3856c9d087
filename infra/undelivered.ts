import { Duration } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { accept } from './accepted.ts';
import { prefixOf } from './names.ts';

/** Where a stopped execution is noted that `recover` could not be told of: each message names a run in its input. */
export class Undelivered extends Construct {
  readonly queue: Queue;

  constructor(scope: Construct, stage: string) {
    super(scope, 'Undelivered');
    this.queue = new Queue(this, 'Queue', {
      queueName: `${prefixOf(stage)}-undelivered`,
      retentionPeriod: Duration.days(14),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
    });
    const reason = 'It is itself where undelivered events end; an alarm says when there are any';
    accept(this.queue, { 'AwsSolutions-SQS3': reason, 'Serverless-SQSRedrivePolicy': reason });
  }
}
