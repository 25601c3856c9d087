import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { VARIABLES } from '../../shared/environment.ts';
import { FUNCTIONS, ROUTES } from '../../shared/functions.ts';
import { IDEMPOTENCY_TABLE, RUN_TABLE } from '../../shared/tables.ts';
import { synthesized } from './synthesized.ts';

const template = synthesized();
const resources = (type: string) => Object.values(template.findResources(type));

describe('the stack', () => {
  it('keeps both tables when it is deleted, with point-in-time recovery and on demand', () => {
    expect(resources('AWS::DynamoDB::Table')).toHaveLength(2);
    for (const table of resources('AWS::DynamoDB::Table')) {
      expect(table.DeletionPolicy).toBe('Retain');
      expect(table.Properties.BillingMode).toBe('PAY_PER_REQUEST');
      expect(table.Properties.PointInTimeRecoverySpecification).toEqual({ PointInTimeRecoveryEnabled: true });
    }
  });

  it('gives the tables the keys and expiry attributes that handlers use', () => {
    template.hasResourceProperties('AWS::DynamoDB::Table', {
      KeySchema: [
        { AttributeName: RUN_TABLE.partitionKey, KeyType: 'HASH' },
        { AttributeName: RUN_TABLE.sortKey, KeyType: 'RANGE' },
      ],
      TimeToLiveSpecification: { AttributeName: RUN_TABLE.ttl, Enabled: true },
      GlobalSecondaryIndexes: [{ IndexName: RUN_TABLE.byStatus, Projection: { ProjectionType: 'KEYS_ONLY' } }],
    });
    template.hasResourceProperties('AWS::DynamoDB::Table', {
      KeySchema: [{ AttributeName: IDEMPOTENCY_TABLE.partitionKey, KeyType: 'HASH' }],
      TimeToLiveSpecification: { AttributeName: IDEMPOTENCY_TABLE.ttl, Enabled: true },
    });
  });

  it('has a function for each name, with its own limits', () => {
    const limits = resources('AWS::Lambda::Function').map(({ Properties: { Timeout, MemorySize } }) => [Timeout, MemorySize]);
    expect(limits).toEqual(Object.values(FUNCTIONS).map(({ timeoutSeconds, memoryMb }) => [timeoutSeconds, memoryMb]));
  });

  it('tells every function where the tables and the state machine are', () => {
    for (const { Properties } of resources('AWS::Lambda::Function')) {
      const names = Object.keys(Properties.Environment.Variables);
      expect(names).toEqual(expect.arrayContaining([VARIABLES.table, VARIABLES.idempotencyTable, VARIABLES.stateMachineArn]));
      expect(Properties).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'] });
    }
  });

  it('names in that variable the machine that it makes', () => {
    const name = resources('AWS::StepFunctions::StateMachine')[0]?.Properties.StateMachineName;
    const arn = resources('AWS::Lambda::Function')[0]?.Properties.Environment.Variables[VARIABLES.stateMachineArn];
    expect(JSON.stringify(arn)).toContain(`:stateMachine:${name}"`);
  });

  it('answers each route, and only to callers with credentials', () => {
    const routes = resources('AWS::ApiGatewayV2::Route').map(({ Properties }) => Properties);
    expect(routes.map(({ RouteKey }) => RouteKey).sort()).toEqual(Object.keys(ROUTES).sort());
    for (const { AuthorizationType } of routes) expect(AuthorizationType).toBe('AWS_IAM');
    template.allResourcesProperties('AWS::ApiGatewayV2::Integration', { PayloadFormatVersion: '2.0' });
  });

  it('tells recover about every execution that ended otherwise than well', () => {
    template.hasResourceProperties('AWS::Events::Rule', {
      EventPattern: { source: ['aws.states'], detail: { status: ['FAILED', 'TIMED_OUT', 'ABORTED'] } },
      Targets: [{ Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('recover'), 'Arn'] } }],
    });
  });

  it('lets read-runs change nothing', () => {
    const policies = resources('AWS::IAM::Policy').filter(({ Properties }) => Properties.PolicyName.includes('readruns'));
    expect(policies).toHaveLength(1);
    expect(JSON.stringify(policies)).not.toMatch(/PutItem|UpdateItem|DeleteItem|states:/);
  });
});
