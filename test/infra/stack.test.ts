import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { VARIABLES } from '../../shared/environment.ts';
import { FUNCTIONS, ROUTES } from '../../shared/functions.ts';
import { IDEMPOTENCY_TABLE, RUN_TABLE } from '../../shared/tables.ts';
import { synthesized } from './synthesized.ts';

const template = synthesized();
const resources = (type: string) => Object.values(template.findResources(type));

interface Statement {
  Action: string | string[];
  Resource: unknown;
  Condition?: unknown;
}
const policies = (from: Template) =>
  Object.values(from.findResources('AWS::IAM::Policy')).map(({ Properties }) => ({
    name: Properties.PolicyName as string,
    statements: Properties.PolicyDocument.Statement as Statement[],
  }));
const statementsOf = (from: Template) => policies(from).flatMap(({ statements }) => statements);

/** The construct's part of a policy's name, for a function. */
const policyName = (name: string) => new RegExp(`^Functions${name.replaceAll('-', '')}ServiceRole`);
const policyOf = (name: string) => JSON.stringify(policies(template).find((policy) => policyName(name).test(policy.name)));

/** The functions whose roles allow an action. */
const functionsAllowed = (from: Template, action: string) => {
  const allowing = policies(from).filter(({ statements }) => statements.some(({ Action }) => [Action].flat().includes(action)));
  return Object.keys(FUNCTIONS)
    .filter((name) => allowing.some((policy) => policyName(name).test(policy.name)))
    .toSorted();
};

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

  it('tells every function where the tables, the state machine, the API and the key are', () => {
    for (const { Properties } of resources('AWS::Lambda::Function')) {
      const { eventLimit: _, model: __, mailFrom: ___, mailConfiguration: ____, smtpUrl: _____, webhookKey: ______, ...needed } = VARIABLES;
      expect(Object.keys(Properties.Environment.Variables)).toEqual(expect.arrayContaining(Object.values(needed)));
      expect(Properties).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'] });
    }
  });

  it('names in that variable the machine that it makes', () => {
    const name = resources('AWS::StepFunctions::StateMachine')[0]?.Properties.StateMachineName;
    const arn = resources('AWS::Lambda::Function')[0]?.Properties.Environment.Variables[VARIABLES.stateMachineArn];
    expect(JSON.stringify(arn)).toContain(`:stateMachine:${name}"`);
  });

  it('answers each route, and but for pages that links lead to only to callers with credentials', () => {
    const routes = resources('AWS::ApiGatewayV2::Route').map(({ Properties }) => Properties);
    expect(routes.map(({ RouteKey }) => RouteKey).sort()).toEqual(Object.keys(ROUTES).sort());
    const open = routes.filter(({ AuthorizationType }) => AuthorizationType === 'NONE').map(({ RouteKey }) => RouteKey);
    expect(open.sort()).toEqual(['GET /a/{id}', 'HEAD /a/{id}', 'POST /a/{id}', 'POST /c/{id}']);
    for (const { AuthorizationType } of routes) expect(AuthorizationType).toMatch(/^(AWS_IAM|NONE)$/);
    template.allResourcesProperties('AWS::ApiGatewayV2::Integration', { PayloadFormatVersion: '2.0' });
  });

  it('tells recover about every execution that ended otherwise than well', () => {
    template.hasResourceProperties('AWS::Events::Rule', {
      EventPattern: { source: ['aws.states'], detail: { status: ['FAILED', 'TIMED_OUT', 'ABORTED'] } },
      Targets: [{ Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('recover'), 'Arn'] } }],
    });
  });

  it('lets read-runs change nothing', () => {
    expect(policyOf('read-runs')).not.toMatch(/PutItem|UpdateItem|DeleteItem|states:/);
  });

  it('lets ask-page and sweep do what they must, and ask-page start nothing', () => {
    expect(policyOf('ask-page')).toMatch(/PutItem/);
    expect(policyOf('ask-page')).toMatch(/states:SendTaskSuccess/);
    expect(policyOf('ask-page')).not.toMatch(/states:StartExecution/);
    for (const action of ['dynamodb:PutItem', 'states:SendTaskSuccess', 'states:StartExecution'])
      expect(policyOf('sweep')).toContain(action);
  });

  it('sweeps every minute', () => {
    template.hasResourceProperties('AWS::Events::Rule', {
      ScheduleExpression: 'rate(1 minute)',
      Targets: [{ Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('sweep'), 'Arn'] } }],
    });
  });

  it('limits how often a route may be asked for', () => {
    const DefaultRouteSettings = { ThrottlingRateLimit: 100, ThrottlingBurstLimit: 200 };
    template.allResourcesProperties('AWS::ApiGatewayV2::Stage', { StageName: '$default', DefaultRouteSettings });
  });
});

describe('links and mails of the stack', () => {
  const SENDING = ['ask', 'ask-page', 'steer-run', 'sweep'];

  it('are signed with a secret of 64 characters that outlives the stack', () => {
    template.hasResource('AWS::SecretsManager::Secret', {
      DeletionPolicy: 'Retain',
      Properties: { GenerateSecretString: { PasswordLength: 64 } },
    });
  });

  it('let only the functions read that secret that make links, open them, or make addresses for results', () => {
    expect(functionsAllowed(template, 'secretsmanager:GetSecretValue')).toEqual(['ask', 'ask-page', 'steer-run', 'sweep', 'tool-step']);
  });

  it('are signed for webhooks with a secret of their own, where one is named', () => {
    const arn = 'arn:aws:secretsmanager:us-east-1:111122223333:secret:hooks-AbCdEf';
    const signing = synthesized({ webhookKey: arn });
    signing.allResourcesProperties('AWS::Lambda::Function', { Environment: { Variables: { [VARIABLES.webhookKey]: arn } } });
    const reading = policies(signing).filter(({ statements }) => statements.some(({ Resource }) => Resource === arn));
    expect(SENDING.filter((name) => !reading.some((policy) => policyName(name).test(policy.name)))).toEqual([]);
    expect(reading).toHaveLength(SENDING.length);
    expect(JSON.stringify(template.toJSON())).not.toContain(VARIABLES.webhookKey);
  });

  it('lead to the API, with no slash at the end of its address', () => {
    const [api] = Object.keys(template.findResources('AWS::ApiGatewayV2::Api'));
    for (const { Properties } of resources('AWS::Lambda::Function')) {
      expect(Properties.Environment.Variables[VARIABLES.publicUrl]).toEqual({ 'Fn::GetAtt': [api, 'ApiEndpoint'] });
    }
  });

  it('are not mailed without a sender', () => {
    expect(functionsAllowed(template, 'ses:SendEmail')).toEqual([]);
    expect(JSON.stringify(template.toJSON())).not.toContain(VARIABLES.mailFrom);
  });

  it.each([
    ['desk@example.com', 'desk@example.com', ['desk@example.com', 'example.com']],
    ['example.com', 'holdfast@example.com', ['example.com']],
  ])('are mailed by the functions that send, from the sender %s', (mailFrom, from, identities) => {
    const mailing = synthesized({ mailFrom });
    expect(functionsAllowed(mailing, 'ses:SendEmail')).toEqual(SENDING);
    mailing.allResourcesProperties('AWS::Lambda::Function', { Environment: { Variables: { [VARIABLES.mailFrom]: from } } });
    const statement = statementsOf(mailing).find(({ Action }) => Action === 'ses:SendEmail');
    expect(statement?.Condition).toEqual({ StringEquals: { 'ses:FromAddress': from } });
    const arns = [statement?.Resource].flat().map((arn) => JSON.stringify(arn));
    expect(arns.slice(0, -1)).toEqual(identities.map((identity) => expect.stringContaining(`:identity/${identity}"`)));
    const [set] = Object.keys(mailing.findResources('AWS::SES::ConfigurationSet'));
    expect(arns.at(-1)).toContain(`:configuration-set/",{"Ref":"${set}"}`);
    mailing.allResourcesProperties('AWS::Lambda::Function', {
      Environment: { Variables: { [VARIABLES.mailConfiguration]: { Ref: set } } },
    });
  });

  it('tell mail-event about every mail that comes back, and follow no click', () => {
    const mailing = synthesized({ mailFrom: 'desk@example.com' });
    const [set] = Object.keys(mailing.findResources('AWS::SES::ConfigurationSet'));
    mailing.hasResourceProperties('AWS::SES::ConfigurationSetEventDestination', {
      ConfigurationSetName: { Ref: set },
      EventDestination: { EventBridgeDestination: Match.anyValue(), MatchingEventTypes: ['bounce', 'complaint', 'reject'] },
    });
    mailing.hasResourceProperties('AWS::Events::Rule', {
      EventPattern: {
        source: ['aws.ses'],
        'detail-type': ['Email Bounced', 'Email Complaint Received', 'Email Rejected'],
        detail: { mail: { tags: { 'ses:configuration-set': [{ Ref: set }] } } },
      },
      Targets: [{ Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('mailevent'), 'Arn'] } }],
    });
    template.resourceCountIs('AWS::SES::ConfigurationSet', 0);
  });
});
