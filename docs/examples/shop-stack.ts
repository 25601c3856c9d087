import { fileURLToPath } from 'node:url';
import { Stack } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { DurableAgents } from '../../infra/durable-agents.ts';

/** A shop's stack: its agents put receipts into its bucket, and its backend starts runs. */
export class ShopStack extends Stack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    const receipts = new Bucket(this, 'Receipts');
    const backend = new Role(this, 'Backend', { assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com') });
    const agents = new DurableAgents(this, 'Agents', {
      stage: 'shop',
      agents: fileURLToPath(new URL('agents.ts', import.meta.url)),
    });
    receipts.grantPut(agents.toolStep);
    agents.toolStep.addEnvironment('RECEIPTS', receipts.bucketName);
    agents.grantCalls(backend);
  }
}
