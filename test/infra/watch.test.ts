import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { HoldfastStack } from '../../infra/stack.ts';
import { METRICS } from '../../shared/metrics.ts';
import { HANDLERS, synthesized, withApp } from './synthesized.ts';

interface Stat {
  readonly MetricName: string;
  readonly Namespace: string;
}
interface AlarmProperties {
  readonly AlarmName: string;
  readonly AlarmDescription: string;
  readonly AlarmActions: object[];
  readonly OKActions: object[];
  readonly TreatMissingData: string;
  readonly Namespace?: string;
  readonly MetricName?: string;
  readonly Metrics?: { readonly MetricStat?: { readonly Metric: Stat } }[];
}

const template = synthesized({ stage: 'prod', mail: { from: 'desk@example.com', identity: 'domain' }, alarmMail: 'ops@example.com' });
const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm')).map(({ Properties }) => Properties as AlarmProperties);
const statsOf = ({ Namespace, MetricName, Metrics = [] }: AlarmProperties): Stat[] => [
  ...(Namespace && MetricName ? [{ Namespace, MetricName }] : []),
  ...Metrics.flatMap(({ MetricStat }) => MetricStat?.Metric ?? []),
];
const dashboard = JSON.stringify(template.findResources('AWS::CloudWatch::Dashboard'));

describe('alarms', () => {
  it('are these', () => {
    const names = alarms.map(({ AlarmName }) => AlarmName.replace('holdfast-prod-', ''));
    expect(names.toSorted()).toEqual(
      [
        ...['stuck-runs', 'interrupted-runs', 'failed-runs', 'overdue-asks', 'escalations', 'letter-failures', 'returned-mails'],
        ...['failing-steps', 'failing-requests', 'throttling', 'sweep-stopped', 'undelivered-stops'],
      ].toSorted(),
    );
  });

  it('name the section of the runbook that says what to do, and each section is of an alarm', () => {
    const runbook = readFileSync(join(import.meta.dirname, '../../docs/runbook.md'), 'utf8');
    const sections = [...runbook.matchAll(/^### (.+)$/gm)].map(([, name]) => name);
    const named = alarms.map(({ AlarmDescription }) => /docs\/runbook\.md, section "(.+)"\.$/.exec(AlarmDescription)?.[1]);
    expect(sections.toSorted()).toEqual(named.toSorted());
  });

  it('tell a topic that somebody reads, which lets alarms in and nothing without TLS', () => {
    const [topic] = Object.keys(template.findResources('AWS::SNS::Topic'));
    for (const { AlarmActions, OKActions } of alarms) expect([AlarmActions, OKActions]).toEqual([[{ Ref: topic }], [{ Ref: topic }]]);
    template.hasResourceProperties('AWS::SNS::Subscription', { Protocol: 'email', Endpoint: 'ops@example.com' });
    const [policy] = Object.values(template.findResources('AWS::SNS::TopicPolicy'));
    expect(policy?.Properties.PolicyDocument.Statement).toMatchObject([
      { Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
      { Effect: 'Allow', Action: 'sns:Publish', Principal: { Service: 'cloudwatch.amazonaws.com' } },
    ]);
  });

  it('look at figures that are measured, at most ten each', () => {
    for (const alarm of alarms) {
      expect(statsOf(alarm).length).toBeGreaterThan(0);
      expect(statsOf(alarm).length).toBeLessThanOrEqual(10);
    }
    const own = alarms.flatMap(statsOf).filter(({ Namespace }) => Namespace === 'Holdfast');
    for (const { MetricName } of own) expect(Object.keys(METRICS)).toContain(MetricName);
  });

  it('are raised by silence where silence is the fault, and nowhere else', () => {
    const raised = alarms.filter(({ TreatMissingData }) => TreatMissingData === 'breaching').map(({ AlarmName }) => AlarmName);
    expect(raised).toEqual(['holdfast-prod-sweep-stopped']);
  });

  it('of mails come with mails', () => {
    const without = Object.values(synthesized().findResources('AWS::CloudWatch::Alarm')).map(({ Properties }) => Properties.AlarmName);
    expect(without).toHaveLength(alarms.length - 1);
    expect(without.join()).not.toContain('mail');
  });
});

describe('the dashboard', () => {
  it('shows every figure that is measured, of its stage', () => {
    for (const name of Object.keys(METRICS)) expect(dashboard).toContain(`\\"Holdfast\\",\\"${name}\\",\\"Stage\\",\\"prod\\"`);
  });
});

describe('the outputs', () => {
  it('say where to go after a deployment', () => {
    const outputs = withApp((app) =>
      Template.fromStack(new HoldfastStack(app, 'Holdfast', { stage: 'prod', handlers: HANDLERS })).findOutputs('*'),
    );
    const names = ['ApiUrl', 'StateMachineConsole', 'StateMachineVersion', 'DashboardConsole', 'AlarmTopic', 'RunTable'];
    expect(Object.keys(outputs)).toEqual(names);
    expect(outputs.StateMachineVersion?.Value).toEqual({ 'Fn::GetAtt': [expect.stringMatching(/MachineVersion/), 'Arn'] });
    expect(JSON.stringify(outputs.DashboardConsole)).toContain('#dashboards/dashboard/holdfast-prod');
  });

  it('say which records the domain of mails needs', () => {
    expect(Object.keys(template.findOutputs('*')).filter((name) => name.startsWith('MailDnsRecord'))).toHaveLength(3);
  });
});
