import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { DurableAgents, type DurableAgentsProps } from './durable-agents.ts';

/** One stage of Holdfast. The local runner takes its state machine and tables from here. */
export class HoldfastStack extends Stack {
  readonly agents: DurableAgents;

  constructor(scope: Construct, id: string, settings: DurableAgentsProps, props: StackProps = {}) {
    super(scope, id, { description: 'Durable AI agents', terminationProtection: settings.removal !== 'destroy', ...props });
    this.agents = new DurableAgents(this, 'Agents', settings);
    new CfnOutput(this, 'ApiUrl', { value: this.agents.api.url });
  }
}
