import { resolve } from 'node:path';
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, LoggingFormat, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { LogLevel, NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { DEFAULT_EVENT_LIMIT, VARIABLES } from '../shared/environment.ts';
import { FUNCTIONS, type FunctionName } from '../shared/functions.ts';
import { RUN_TABLE } from '../shared/tables.ts';
import { accept, wildcard } from './accepted.ts';
import type { Blobs } from './blobs.ts';
import { BUNDLE, ROOT } from './bundling.ts';
import type { LinkKey } from './link-key.ts';
import { logGroup } from './log-group.ts';
import { machineArn } from './machine.ts';
import type { Mail } from './mail.ts';
import { modelPolicies } from './model-access.ts';
import { prefixOf } from './names.ts';
import { FUNCTION_NAMES, NEEDS, type Needs } from './needs.ts';
import { secretArn } from './secret-arn.ts';
import type { Settings } from './settings.ts';
import type { Tables } from './tables.ts';

/** What the functions work with. */
export interface Means {
  settings: Settings;
  tables: Tables;
  blobs: Blobs;
  linkKey: LinkKey;
  /** The base of links. */
  publicUrl: string;
  /** Without it no mail is sent. */
  mail: Mail | undefined;
}

/** All functions, each with its own role. */
export class Functions extends Construct {
  readonly byName: Record<FunctionName, NodejsFunction>;

  constructor(scope: Construct, means: Means, handlers: string) {
    super(scope, 'Functions');
    const environment = environmentOf(this, means);
    const make = (name: FunctionName) => {
      const log = logGroup(this, `${name}-log`, `/holdfast/${means.settings.stage}/${name}`, means.settings);
      const role = roleOf(this, name, log, means);
      const own = NEEDS[name].blobs ? { ...environment, [VARIABLES.bucket]: means.blobs.bucket.bucketName } : environment;
      return [name, handlerFunction(this, name, { environment: own, log, role, handlers, settings: means.settings })] as const;
    };
    this.byName = Object.fromEntries(FUNCTION_NAMES.map(make)) as Functions['byName'];
    accept(this, {
      [wildcard('*')]: 'Traces name no resources',
      [wildcard(`<${means.blobs.logicalId}.Arn>/*`)]: 'Blobs are named by runs and by their hashes',
      [wildcard(`arn:<AWS::Partition>:states:<AWS::Region>:<AWS::AccountId>:stateMachine:${prefixOf(means.settings.stage)}:*`)]:
        'Runs stay on the version of the state machine with which they began',
      'Serverless-LambdaDLQ':
        'They are waited for, but for recover, which has a destination for what fails, sweep, which runs again, and mail-event, which only notes',
    });
  }
}

function environmentOf(scope: Construct, { settings, tables, linkKey, publicUrl, mail }: Means): Record<string, string> {
  const { stage, eventLimit, retentionDays, model, modelKeysSecret, webhookKeySecret, bedrockModels, variables } = settings;
  return {
    ...variables,
    [VARIABLES.stage]: stage,
    [VARIABLES.table]: tables.runs.tableName,
    [VARIABLES.idempotencyTable]: tables.idempotency.tableName,
    [VARIABLES.stateMachineArn]: machineArn(scope, stage),
    [VARIABLES.publicUrl]: publicUrl,
    [VARIABLES.linkKey]: linkKey.secret.secretArn,
    ...(mail ? { [VARIABLES.mailFrom]: mail.from, [VARIABLES.mailConfiguration]: mail.configurationSet } : {}),
    ...(webhookKeySecret ? { [VARIABLES.webhookKey]: webhookKeySecret } : {}),
    ...(eventLimit === DEFAULT_EVENT_LIMIT ? {} : { [VARIABLES.eventLimit]: String(eventLimit) }),
    ...(retentionDays === undefined ? {} : { [VARIABLES.retentionDays]: String(retentionDays) }),
    ...(model ? { [VARIABLES.model]: model } : {}),
    ...(modelKeysSecret ? { [VARIABLES.modelKeys]: modelKeysSecret } : {}),
    ...(bedrockModels.length > 0 ? { HOLDFAST_BEDROCK: '1' } : {}),
    // 10 ms and 15 MB of a cold start, for stack traces that name our files.
    NODE_OPTIONS: '--enable-source-maps',
  };
}

interface Making {
  environment: Record<string, string>;
  log: LogGroup;
  role: Role;
  handlers: string;
  settings: Settings;
}

function handlerFunction(scope: Construct, name: FunctionName, { environment, log, role, handlers, settings }: Making) {
  const { timeoutSeconds, memoryMb } = FUNCTIONS[name];
  const { stage, agents } = settings;
  return new NodejsFunction(scope, name, {
    functionName: `${prefixOf(stage)}-${name}`,
    entry: `${handlers}/${name}.ts`,
    projectRoot: ROOT,
    depsLockFilePath: `${ROOT}package-lock.json`,
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    timeout: Duration.seconds(timeoutSeconds),
    memorySize: memoryMb,
    environment,
    role,
    currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN },
    logGroup: log,
    loggingFormat: LoggingFormat.JSON,
    tracing: Tracing.ACTIVE,
    bundling: {
      format: OutputFormat.ESM,
      target: BUNDLE.target,
      mainFields: [...BUNDLE.mainFields],
      minify: BUNDLE.minify,
      keepNames: BUNDLE.keepNames,
      banner: BUNDLE.banner,
      bundleAwsSDK: true,
      logLevel: LogLevel.ERROR,
      sourceMap: true,
      sourcesContent: BUNDLE.sourcesContent,
      ...(agents ? { esbuildArgs: { '--alias:#agents': resolve(agents) } } : {}),
    },
  });
}

function roleOf(scope: Construct, name: FunctionName, log: LogGroup, means: Means): Role {
  const role = new Role(scope, `${name}-role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  log.grantWrite(role);
  for (const statement of statementsOf(scope, NEEDS[name], means)) role.addToPolicy(statement);
  return role;
}

function statementsOf(scope: Construct, needs: Needs, { settings, tables, blobs, linkKey, mail }: Means): PolicyStatement[] {
  const { runs, idempotency } = tables;
  return [
    allow('dynamodb', needs.runs, runs.tableArn),
    ...(needs.byStatus ? [allow('dynamodb', ['Query'], `${runs.tableArn}/index/${RUN_TABLE.byStatus}`)] : []),
    ...(needs.idempotency ? [allow('dynamodb', needs.idempotency, idempotency.tableArn)] : []),
    ...(needs.blobs ? [allow('s3', needs.blobs, blobs.bucket.arnForObjects('*'))] : []),
    ...(needs.listsBlobs ? [allow('s3', ['ListBucket'], blobs.bucket.bucketArn)] : []),
    ...(needs.states ? [allow('states', needs.states, machineArn(scope, settings.stage), `${machineArn(scope, settings.stage)}:*`)] : []),
    ...(needs.linkKey ? [allow('secretsmanager', ['GetSecretValue'], linkKey.secret.secretArn)] : []),
    ...(needs.letters && mail ? [mail.policy] : []),
    ...(needs.letters && settings.webhookKeySecret
      ? [allow('secretsmanager', ['GetSecretValue'], secretArn(scope, settings.webhookKeySecret))]
      : []),
    ...(needs.models ? modelPolicies(scope, settings) : []),
  ];
}

const allow = (service: string, calls: readonly string[], ...resources: string[]) =>
  new PolicyStatement({ actions: calls.map((call) => `${service}:${call}`), resources });
