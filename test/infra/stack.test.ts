import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { FUNCTION_NAMES, NEEDS } from '../../infra/needs.ts';
import type { GivenSettings } from '../../infra/settings.ts';
import { HoldfastStack } from '../../infra/stack.ts';
import { VARIABLES } from '../../shared/environment.ts';
import { CARRIERS, FUNCTIONS, type FunctionName, ROUTES } from '../../shared/functions.ts';
import { IDEMPOTENCY_TABLE, RUN_TABLE } from '../../shared/tables.ts';
import { HANDLERS, synthesized, withApp } from './synthesized.ts';

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
const policyName = (name: string) => new RegExp(`^AgentsFunctions${name.replaceAll('-', '')}roleDefaultPolicy`);
const policyOf = (name: string, from = template) => policies(from).find((policy) => policyName(name).test(policy.name));

/** The functions whose roles allow an action. */
const functionsAllowed = (from: Template, action: string) =>
  FUNCTION_NAMES.filter((name) => policyOf(name, from)?.statements.some(({ Action }) => [Action].flat().includes(action)));

/** The functions that write to people, and those that make links and addresses for results, or open them. */
const SENDING = ['ask', 'steer-run', 'ask-page', 'sweep'];
const LINKING = ['model-step', 'tool-step', 'ask', 'answer', 'steer-run', 'ask-page', 'callback', 'sweep'];

/** What is published of the code at each deployment. */
const VERSIONS = ['AWS::Lambda::Version', 'AWS::StepFunctions::StateMachineVersion'];

describe('the stack', () => {
  it('keeps both tables when it is deleted, with point-in-time recovery and on demand', () => {
    expect(resources('AWS::DynamoDB::Table')).toHaveLength(2);
    for (const table of resources('AWS::DynamoDB::Table')) {
      expect(table.DeletionPolicy).toBe('Retain');
      expect(table.Properties.BillingMode).toBe('PAY_PER_REQUEST');
      expect(table.Properties.PointInTimeRecoverySpecification).toEqual({ PointInTimeRecoveryEnabled: true });
      expect(table.Properties.DeletionProtectionEnabled).toBe(true);
    }
  });

  it('keeps large bodies in a bucket that nobody else reaches, encrypted, and with nothing that expires', () => {
    const [bucket, ...others] = resources('AWS::S3::Bucket');
    expect(others).toEqual([]);
    expect(bucket?.DeletionPolicy).toBe('Retain');
    expect(Object.values(bucket?.Properties.PublicAccessBlockConfiguration ?? {})).toEqual([true, true, true, true]);
    expect(JSON.stringify(bucket?.Properties.BucketEncryption)).toContain('AES256');
    expect(bucket?.Properties.VersioningConfiguration).toBeUndefined();
    expect(JSON.stringify(bucket?.Properties.LifecycleConfiguration)).not.toContain('Expiration');
    expect(JSON.stringify(resources('AWS::S3::BucketPolicy'))).toContain('"aws:SecureTransport":"false"');
  });

  it('keeps what cannot be made again under the same logical ids from release to release', () => {
    const kept = Object.entries(template.toJSON().Resources as Record<string, { Type: string; DeletionPolicy?: string }>);
    const made = kept.filter(([, { Type }]) => !VERSIONS.includes(Type));
    expect(made.flatMap(([id, { DeletionPolicy }]) => (DeletionPolicy === 'Retain' ? [id] : []))).toEqual([
      'AgentsTablesRuns2AD5A5A9',
      'AgentsTablesIdempotencyC46E2EE6',
      'AgentsBlobsBucket7F6EC05D',
      'AgentsLinkKeySecret4D8017D2',
    ]);
  });

  it('cannot be deleted by a slip, but for a trial', () => {
    const guarded = (removal: 'retain' | 'destroy') =>
      withApp((app) => new HoldfastStack(app, 'Holdfast', { removal, handlers: HANDLERS }).terminationProtection);
    expect([guarded('retain'), guarded('destroy')]).toEqual([true, false]);
  });

  it('keeps nothing when it is told to', () => {
    const trial = synthesized({ removal: 'destroy' });
    const kept = Object.values(trial.toJSON().Resources as Record<string, { Type: string }>).filter(({ Type }) => !VERSIONS.includes(Type));
    expect(JSON.stringify(kept)).not.toMatch(/"Retain"|"DeletionProtectionEnabled":true/);
  });

  it('keeps every version of the code when it is deployed again: runs under way stay on theirs', () => {
    const versions = VERSIONS.flatMap((type) => Object.values(template.findResources(type)));
    expect(versions).toHaveLength(CARRIERS.length + 1);
    for (const { DeletionPolicy, UpdateReplacePolicy } of versions)
      expect([DeletionPolicy, UpdateReplacePolicy]).toEqual(['Retain', 'Retain']);
    const [machine] = Object.values(template.findResources('AWS::StepFunctions::StateMachine'));
    const definition = JSON.stringify(machine?.Properties.DefinitionString);
    const ids = Object.keys(template.findResources('AWS::Lambda::Version'));
    expect(ids.filter((id) => !definition.includes(`{"Ref":"${id}"}`))).toEqual([]);
    expect(definition).not.toMatch(/"Fn::GetAtt"/);
  });

  it('publishes another version when the code changes, and lets the machine invoke all of them', () => {
    const changed = synthesized({ eventLimit: 40 });
    const ids = (of: typeof template) => VERSIONS.flatMap((type) => Object.keys(of.findResources(type)));
    expect(ids(changed).filter((id) => ids(template).includes(id))).toEqual(Object.keys(template.findResources(VERSIONS[1] as string)));
    const invoking = statementsOf(template).find(({ Action }) => Action === 'lambda:InvokeFunction');
    expect(JSON.stringify(statementsOf(template).filter(({ Action }) => Action === 'lambda:InvokeFunction'))).toContain(':*');
    expect(invoking).toBeDefined();
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
    const { stage, table, idempotencyTable, stateMachineArn, publicUrl, linkKey } = VARIABLES;
    const needed = { stage, table, idempotencyTable, stateMachineArn, publicUrl, linkKey };
    for (const { Properties } of resources('AWS::Lambda::Function')) {
      const name = String(Properties.FunctionName).replace('holdfast-dev-', '') as FunctionName;
      const own = NEEDS[name].blobs ? [VARIABLES.bucket] : [];
      expect(Object.keys(Properties.Environment.Variables).toSorted()).toEqual(
        [...Object.values(needed), ...own, 'NODE_OPTIONS'].toSorted(),
      );
    }
  });

  it('makes every function of the same kind, traced, with a log of its own that ends', () => {
    for (const { Properties } of resources('AWS::Lambda::Function')) {
      expect(Properties).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'], TracingConfig: { Mode: 'Active' } });
      expect(Properties.LoggingConfig).toEqual({ LogFormat: 'JSON', LogGroup: { Ref: expect.any(String) } });
    }
    const logs = resources('AWS::Logs::LogGroup').map(({ Properties }) => [Properties.LogGroupName, Properties.RetentionInDays]);
    const names = [
      ...FUNCTION_NAMES.map((name) => `/holdfast/dev/${name}`),
      '/aws/vendedlogs/holdfast-dev/api',
      '/aws/vendedlogs/states/holdfast-dev',
    ];
    expect(logs.toSorted()).toEqual(names.map((name) => [name, 90]).toSorted());
  });

  it('names what people look for by the stage', () => {
    const prod = synthesized({ stage: 'prod' });
    const names = (type: string, property: string) => Object.values(prod.findResources(type)).map(({ Properties }) => Properties[property]);
    expect(names('AWS::Lambda::Function', 'FunctionName')).toEqual(FUNCTION_NAMES.map((name) => `holdfast-prod-${name}`));
    expect(names('AWS::StepFunctions::StateMachine', 'StateMachineName')).toEqual(['holdfast-prod']);
    expect(names('AWS::ApiGatewayV2::Api', 'Name')).toEqual(['holdfast-prod']);
    expect(names('AWS::SQS::Queue', 'QueueName')).toEqual(['holdfast-prod-undelivered']);
    expect(JSON.stringify(prod.toJSON())).not.toContain('-dev');
  });

  it('tells the version that it publishes to every function but those that are part of it', () => {
    const [version] = Object.keys(template.findResources('AWS::StepFunctions::StateMachineVersion'));
    const named = resources('AWS::Lambda::Function').map(({ Properties }) => Properties.Environment.Variables[VARIABLES.stateMachineArn]);
    expect(named.filter((arn) => JSON.stringify(arn) === JSON.stringify({ 'Fn::GetAtt': [version, 'Arn'] }))).toHaveLength(
      FUNCTION_NAMES.length - CARRIERS.length,
    );
    expect(functionsAllowed(template, 'states:StartExecution')).toContain('start-run');
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

  it('lets a function do what its code calls, on the very table, index and machine', () => {
    const { runs, idempotency } = { runs: 'AgentsTablesRuns', idempotency: 'AgentsTablesIdempotency' };
    for (const name of FUNCTION_NAMES) {
      const granted = (policyOf(name)?.statements ?? []).flatMap(({ Action, Resource }) =>
        [Action].flat().map((action) => `${action} on ${JSON.stringify(Resource)}`),
      );
      const needed = NEEDS[name];
      const on = (resource: string, service: string, calls: readonly string[] = []) =>
        calls.map((call) => expect.stringMatching(new RegExp(`^${service}:${call} on \\S*${resource}\\S*$`)));
      const expected = [
        ...on(runs, 'dynamodb', needed.runs),
        ...on('index/byStatus', 'dynamodb', needed.byStatus ? ['Query'] : []),
        ...on(idempotency, 'dynamodb', needed.idempotency),
        ...on(':stateMachine:holdfast-dev', 'states', needed.states),
        ...on('AgentsBlobsBucket\\w*","Arn"\\]},"/\\*', 's3', needed.blobs),
        ...on('AgentsBlobsBucket\\w*","Arn"\\]', 's3', needed.listsBlobs ? ['ListBucket'] : []),
        ...on('AgentsLinkKey', 'secretsmanager', needed.linkKey ? ['GetSecretValue'] : []),
        ...on(`AgentsFunctions${name.replaceAll('-', '')}log`, 'logs', ['CreateLogStream', 'PutLogEvents']),
        ...on('\\*', 'xray', ['PutTraceSegments', 'PutTelemetryRecords']),
        ...(name === 'recover' ? on('AgentsUndelivered', 'sqs', ['SendMessage', 'GetQueueAttributes', 'GetQueueUrl']) : []),
      ];
      expect(granted).toEqual(expect.arrayContaining(expected));
      expect(granted).toHaveLength(expected.length);
    }
  });

  it('gives no function a policy of AWS', () => {
    for (const { Properties } of resources('AWS::IAM::Role')) expect(Properties.ManagedPolicyArns).toBeUndefined();
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

  it('logs of a request neither its query nor its path', () => {
    const { Format } = resources('AWS::ApiGatewayV2::Stage')[0]?.Properties.AccessLogSettings ?? {};
    expect(JSON.parse(Format)).toMatchObject({ route: '$context.routeKey', status: '$context.status' });
    expect(Format).not.toMatch(/path|query|\$context\.(domainName|customDomain|requestOverride)/i);
  });

  it('keeps a note of stopped executions that nobody could be told of', () => {
    const [undelivered] = Object.keys(template.findResources('AWS::SQS::Queue'));
    const arn = { 'Fn::GetAtt': [undelivered, 'Arn'] };
    template.hasResourceProperties('AWS::Events::Rule', { EventPattern: Match.anyValue(), Targets: [{ DeadLetterConfig: { Arn: arn } }] });
    template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', { DestinationConfig: { OnFailure: { Destination: arn } } });
    template.hasResourceProperties('AWS::SQS::Queue', { SqsManagedSseEnabled: true, MessageRetentionPeriod: 14 * 24 * 3600 });
  });

  it('lets in callers with a token when it is told the issuer', () => {
    const jwt = synthesized({ jwt: { issuer: 'https://login.example.com', audience: 'desk' } });
    jwt.hasResourceProperties('AWS::ApiGatewayV2::Authorizer', {
      AuthorizerType: 'JWT',
      JwtConfiguration: { Issuer: 'https://login.example.com', Audience: ['desk'] },
    });
    const routes = Object.values(jwt.findResources('AWS::ApiGatewayV2::Route')).map(({ Properties }) => Properties);
    const open = routes.filter(({ AuthorizationType }) => AuthorizationType === 'NONE').map(({ RouteKey }) => RouteKey);
    expect(open.sort()).toEqual(['GET /a/{id}', 'HEAD /a/{id}', 'POST /a/{id}', 'POST /c/{id}']);
    for (const { AuthorizationType } of routes) expect(AuthorizationType).toMatch(/^(JWT|NONE)$/);
  });

  it('tells functions of settings that differ from what holds without them', () => {
    const set = synthesized({
      variables: { SHOP_URL: 'https://shop.example.com' },
      eventLimit: 60,
      model: 'scripted/refund-desk',
      logRetentionDays: 7,
    });
    const Variables = { SHOP_URL: 'https://shop.example.com', [VARIABLES.eventLimit]: '60', [VARIABLES.model]: 'scripted/refund-desk' };
    set.allResourcesProperties('AWS::Lambda::Function', { Environment: { Variables } });
    set.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 7 });
  });
});

describe('models of the stack', () => {
  const modelStatements = (settings: GivenSettings) =>
    statementsOf(synthesized(settings)).filter(({ Action }) => /bedrock|secretsmanager/.test(String(Action)));
  const arnsOf = ({ Resource }: Statement) => JSON.stringify(Resource);

  it('have their keys in a secret that the model step alone may read', () => {
    const settings = { modelKeysSecret: 'desk/keys' };
    const reading = modelStatements(settings).filter((statement) => arnsOf(statement).includes(':secret:desk/keys-??????"'));
    expect(reading).toMatchObject([{ Action: 'secretsmanager:GetSecretValue' }]);
    const stack = synthesized(settings);
    expect(functionsAllowed(stack, 'secretsmanager:GetSecretValue')).toEqual(LINKING);
    stack.allResourcesProperties('AWS::Lambda::Function', { Environment: { Variables: { [VARIABLES.modelKeys]: 'desk/keys' } } });
  });

  it('may be of Bedrock: those that are named, by the model step, and through a profile only where it leads', () => {
    const statements = modelStatements({ bedrockModels: ['amazon.nova-pro-v1:0', 'eu.anthropic.claude-x'] }).filter(
      ({ Action }) => Action === 'bedrock:InvokeModel',
    );
    const profile = ':inference-profile/eu.anthropic.claude-x"';
    expect(statements.map(arnsOf)).toEqual([
      expect.stringMatching(/:inference-profile\/eu\.anthropic\.claude-x".*"::foundation-model\/amazon\.nova-pro-v1:0"/),
      expect.stringContaining(':bedrock:*::foundation-model/anthropic.claude-x"'),
    ]);
    expect(JSON.stringify(statements[1]?.Condition)).toContain(profile);
  });
});

describe('links and mails of the stack', () => {
  it('are signed with a secret of 64 characters that outlives the stack', () => {
    template.hasResource('AWS::SecretsManager::Secret', {
      DeletionPolicy: 'Retain',
      Properties: { GenerateSecretString: { PasswordLength: 64 } },
    });
  });

  it('let only those read that secret who make links and addresses for results, or seal and open secrets of calls', () => {
    expect(functionsAllowed(template, 'secretsmanager:GetSecretValue')).toEqual(LINKING);
  });

  it('lead to the API, with no slash at the end of its address', () => {
    const [api] = Object.keys(template.findResources('AWS::ApiGatewayV2::Api'));
    for (const { Properties } of resources('AWS::Lambda::Function')) {
      expect(Properties.Environment.Variables[VARIABLES.publicUrl]).toEqual({ 'Fn::GetAtt': [api, 'ApiEndpoint'] });
    }
  });

  it('are not mailed without a sender', () => {
    expect(functionsAllowed(template, 'ses:SendEmail')).toEqual([]);
    expect(JSON.stringify(template.toJSON())).not.toMatch(/HOLDFAST_MAIL|AWS::SES/);
  });

  const from = 'desk@example.com';
  it('are mailed by the functions that send alone, from the sender, by its identities and the configuration set', () => {
    const mailing = synthesized({ mail: { from, sandboxRecipients: ['ada@example.org'] } });
    expect(functionsAllowed(mailing, 'ses:SendEmail')).toEqual(SENDING);
    const Variables = { [VARIABLES.mailFrom]: from, [VARIABLES.mailConfiguration]: 'holdfast-dev' };
    mailing.allResourcesProperties('AWS::Lambda::Function', { Environment: { Variables } });
    const statement = statementsOf(mailing).find(({ Action }) => Action === 'ses:SendEmail');
    expect(statement?.Condition).toEqual({ StringEquals: { 'ses:FromAddress': from } });
    const arns = [statement?.Resource].flat().map((arn) => /:((identity|configuration-set)\/.*)"\]/.exec(JSON.stringify(arn))?.[1]);
    expect(arns).toEqual([
      'configuration-set/holdfast-dev',
      'identity/ada@example.org',
      'identity/desk@example.com',
      'identity/example.com',
    ]);
    mailing.resourceCountIs('AWS::SES::EmailIdentity', 0);
  });

  it.each([
    ['address', from],
    ['domain', 'example.com'],
  ] as const)('have an identity of the %s made for them when that is wanted', (identity, EmailIdentity) => {
    const mailing = synthesized({ mail: { from, identity } });
    mailing.allResourcesProperties('AWS::SES::EmailIdentity', { EmailIdentity });
  });

  it('tell mail-event about every mail that comes back, and follow no click', () => {
    const mailing = synthesized({ mail: { from } });
    const [set] = Object.keys(mailing.findResources('AWS::SES::ConfigurationSet'));
    mailing.hasResourceProperties('AWS::SES::ConfigurationSetEventDestination', {
      ConfigurationSetName: { Ref: set },
      EventDestination: { EventBridgeDestination: Match.anyValue(), MatchingEventTypes: ['bounce', 'complaint', 'reject'] },
    });
    mailing.hasResourceProperties('AWS::Events::Rule', {
      EventPattern: {
        source: ['aws.ses'],
        'detail-type': ['Email Bounced', 'Email Complaint Received', 'Email Rejected'],
        detail: { mail: { tags: { 'ses:configuration-set': ['holdfast-dev'] } } },
      },
      Targets: [{ Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('mailevent'), 'Arn'] } }],
    });
    mailing.allResourcesProperties('AWS::SES::ConfigurationSet', { Name: 'holdfast-dev', DeliveryOptions: { TlsPolicy: 'REQUIRE' } });
  });

  it('are signed for webhooks with a secret of their own, where one is named', () => {
    const arn = 'arn:aws:secretsmanager:us-east-1:111122223333:secret:hooks-AbCdEf';
    const signing = synthesized({ webhookKeySecret: arn });
    signing.allResourcesProperties('AWS::Lambda::Function', { Environment: { Variables: { [VARIABLES.webhookKey]: arn } } });
    const reading = FUNCTION_NAMES.filter((name) => JSON.stringify(policyOf(name, signing)).includes(arn));
    expect(reading).toEqual(SENDING);
    expect(JSON.stringify(template.toJSON())).not.toContain(VARIABLES.webhookKey);
  });
});
