import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { DurableAgents, type DurableAgentsProps } from './durable-agents.ts';

/** One stage of Holdfast. The local runner takes its state machine and tables from here. */
export class HoldfastStack extends Stack {
  readonly agents: DurableAgents;

  constructor(scope: Construct, id: string, settings: DurableAgentsProps, props: StackProps = {}) {
    super(scope, id, { description: 'Durable AI agents', terminationProtection: settings.removal !== 'destroy', ...props });
    this.agents = new DurableAgents(this, 'Agents', settings);
    for (const [name, value] of Object.entries(this.told())) new CfnOutput(this, name, { value });
  }

  /** What a person needs to know after a deployment. */
  private told(): Record<string, string> {
    const { api, machine, dashboard, alarms, tables, mail, settings } = this.agents;
    const console = `https://${this.region}.console.aws.amazon.com`;
    const records = settings.mail?.identity === 'domain' ? (mail?.identity?.dkimRecords ?? []) : [];
    return {
      ApiUrl: api.url,
      StateMachineConsole: `${console}/states/home?region=${this.region}#/statemachines/view/${machine.stateMachine.stateMachineArn}`,
      StateMachineVersion: machine.version.attrArn,
      DashboardConsole: `${console}/cloudwatch/home?region=${this.region}#dashboards/dashboard/${dashboard.name}`,
      AlarmTopic: alarms.topic.topicArn,
      RunTable: tables.runs.tableName,
      ...Object.fromEntries(records.map(({ name, value }, i) => [`MailDnsRecord${i + 1}`, `${name} CNAME ${value}`])),
    };
  }
}
