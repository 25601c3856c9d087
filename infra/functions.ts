import { resolve } from 'node:path';
import { Duration } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Architecture, Runtime } from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { VARIABLES } from '../shared/environment.ts';
import { FUNCTIONS, type FunctionName } from '../shared/functions.ts';
import { BUNDLE, ROOT } from './bundling.ts';
import type { LinkKey } from './link-key.ts';
import { machineArn } from './machine.ts';
import { type MailSender, mailPolicy } from './mail.ts';
import type { Tables } from './tables.ts';

type Access = 'none' | 'read' | 'write';
interface Needs {
  runs: Access;
  idempotency?: Access;
  states?: string[];
  /** What asking people needs: the key that signs links, and the right to send letters. */
  asking?: ('linkKey' | 'letters')[];
}

/** What each function may do: its access to the tables, the calls it makes to Step Functions, and what asking people needs. */
const NEEDS: Record<FunctionName, Needs> = {
  'start-run': { runs: 'write', states: ['StartExecution'] },
  'model-step': { runs: 'write' },
  'tool-step': { runs: 'write', idempotency: 'write', asking: ['linkKey'] },
  ask: { runs: 'write', states: ['SendTaskSuccess'], asking: ['linkKey', 'letters'] },
  answer: { runs: 'write', states: ['SendTaskSuccess'] },
  recover: { runs: 'write', states: ['StartExecution'] },
  'read-runs': { runs: 'read' },
  'steer-run': { runs: 'write', states: ['StartExecution', 'SendTaskSuccess'], asking: ['linkKey', 'letters'] },
  'ask-page': { runs: 'write', states: ['SendTaskSuccess'], asking: ['linkKey', 'letters'] },
  callback: { runs: 'write', states: ['SendTaskSuccess'] },
  'mail-event': { runs: 'write' },
  sweep: { runs: 'write', states: ['StartExecution', 'SendTaskSuccess'], asking: ['linkKey', 'letters'] },
};

/** What the functions work with. */
export interface Means {
  tables: Tables;
  linkKey: LinkKey;
  /** The base of links. */
  publicUrl: string;
  /** Without it no mail is sent. */
  mail: MailSender | undefined;
  /** Signs what is sent to webhooks, instead of a key made from the link key. */
  webhookKey: ISecret | undefined;
}

/** What the functions are bundled from. */
export interface Sources {
  /** The folder of the handlers' files. */
  handlers: string;
  /** The module that registers agents, instead of `agents/index.ts`. */
  agents: string | undefined;
}

/** All functions, each with its own role. */
export class Functions extends Construct {
  readonly byName: Record<FunctionName, NodejsFunction>;

  constructor(scope: Construct, means: Means, sources: Sources) {
    super(scope, 'Functions');
    const environment = environmentOf(this, means);
    const make = (name: FunctionName) => {
      const made = handlerFunction(this, name, sources, environment);
      grant(made, NEEDS[name], means);
      return [name, made] as const;
    };
    this.byName = Object.fromEntries((Object.keys(FUNCTIONS) as FunctionName[]).map(make)) as Functions['byName'];
  }
}

const environmentOf = (scope: Construct, { tables, linkKey, publicUrl, mail, webhookKey }: Means): Record<string, string> => ({
  [VARIABLES.table]: tables.runs.tableName,
  [VARIABLES.idempotencyTable]: tables.idempotency.tableName,
  [VARIABLES.stateMachineArn]: machineArn(scope),
  [VARIABLES.publicUrl]: publicUrl,
  [VARIABLES.linkKey]: linkKey.secret.secretArn,
  ...(mail ? { [VARIABLES.mailFrom]: mail.from, [VARIABLES.mailConfiguration]: mail.set.configurationSetName } : {}),
  ...(webhookKey ? { [VARIABLES.webhookKey]: webhookKey.secretArn } : {}),
});

function handlerFunction(scope: Construct, name: FunctionName, { handlers, agents }: Sources, environment: Record<string, string>) {
  const { timeoutSeconds, memoryMb } = FUNCTIONS[name];
  return new NodejsFunction(scope, name, {
    entry: `${handlers}/${name}.ts`,
    projectRoot: ROOT,
    depsLockFilePath: `${ROOT}package-lock.json`,
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    timeout: Duration.seconds(timeoutSeconds),
    memorySize: memoryMb,
    environment,
    bundling: {
      format: OutputFormat.ESM,
      target: BUNDLE.target,
      mainFields: [...BUNDLE.mainFields],
      banner: BUNDLE.banner,
      bundleAwsSDK: true,
      ...(agents ? { esbuildArgs: { '--alias': [`#agents=${resolve(agents)}`] } } : {}),
    },
  });
}

function grant(to: NodejsFunction, needs: Needs, { tables, linkKey, mail, webhookKey }: Means) {
  for (const [table, access] of [
    [tables.runs, needs.runs],
    [tables.idempotency, needs.idempotency],
  ] as const) {
    if (access === 'read') table.grantReadData(to);
    if (access === 'write') table.grantReadWriteData(to);
  }
  if (needs.states) to.addToRolePolicy(statesPolicy(to, needs.states));
  if (needs.asking?.includes('linkKey')) linkKey.secret.grantRead(to);
  if (!needs.asking?.includes('letters')) return;
  webhookKey?.grantRead(to);
  if (mail) to.addToRolePolicy(mailPolicy(to, mail));
}

/** Named by ARN, not granted by the machine: that would make machine and functions depend on each other. */
const statesPolicy = (scope: Construct, actions: string[]) =>
  new PolicyStatement({ actions: actions.map((action) => `states:${action}`), resources: [machineArn(scope)] });
