import { type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';

/** The secret that signs what is sent to webhooks, by the context `webhookKey`, its ARN; undefined when there is none. */
export function webhookKey(scope: Construct): ISecret | undefined {
  const arn = String(scope.node.tryGetContext('webhookKey') ?? '').trim();
  return arn === '' ? undefined : Secret.fromSecretCompleteArn(scope, 'WebhookKey', arn);
}
