import { Tags } from 'aws-cdk-lib';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { Construct } from 'constructs';
import { VARIABLES } from '../shared/environment.ts';
import { CARRIERS, type FunctionName } from '../shared/functions.ts';
import { Alarms } from './alarms.ts';
import { Api } from './api.ts';
import { Blobs } from './blobs.ts';
import { HANDLERS } from './bundling.ts';
import { Dashboard } from './dashboard.ts';
import { Functions } from './functions.ts';
import { LinkKey } from './link-key.ts';
import { Machine } from './machine.ts';
import { Mail } from './mail.ts';
import { FUNCTION_NAMES } from './needs.ts';
import { Recovery } from './recovery.ts';
import { ReturnedMail } from './returned-mail.ts';
import { type GivenSettings, type Settings, settingsOf } from './settings.ts';
import { Sweep } from './sweep.ts';
import { Tables } from './tables.ts';
import { Undelivered } from './undelivered.ts';

export interface DurableAgentsProps extends GivenSettings {
  /** The folder of the handlers' files; `lambdas` unless told otherwise. */
  handlers?: string;
}

/** Everything Holdfast needs in an account: one for each stage. Throws a SettingsError when a setting is wrong. */
export class DurableAgents extends Construct {
  /** What was given, and what holds for the rest. */
  readonly settings: Settings;
  readonly tables: Tables;
  readonly blobs: Blobs;
  readonly functions: Functions;
  readonly machine: Machine;
  readonly api: Api;
  readonly mail: Mail | undefined;
  readonly undelivered: Undelivered;
  readonly alarms: Alarms;
  readonly dashboard: Dashboard;

  constructor(scope: Construct, id: string, { handlers = HANDLERS, ...given }: DurableAgentsProps = {}) {
    super(scope, id);
    this.settings = settingsOf(given);
    const { settings } = this;
    const { stage, mail } = settings;
    this.tables = new Tables(this, settings);
    this.blobs = new Blobs(this, settings);
    this.api = new Api(this, settings);
    this.mail = mail && new Mail(this, stage, mail);
    const { tables, blobs } = this;
    const means = { settings, tables, blobs, linkKey: new LinkKey(this, settings), publicUrl: this.api.url, mail: this.mail };
    this.functions = new Functions(this, means, handlers);
    this.api.answerBy(this.functions.byName);
    this.machine = new Machine(this, this.functions.byName, settings);
    // The carriers are part of the version, so they cannot know its number: they leave runs where they are.
    for (const name of FUNCTION_NAMES.filter((each) => !(CARRIERS as readonly FunctionName[]).includes(each)))
      this.functions.byName[name].addEnvironment(VARIABLES.stateMachineArn, this.machine.version.attrArn);
    this.undelivered = new Undelivered(this, stage);
    new Recovery(this, this.machine.stateMachine, this.functions.byName.recover, this.undelivered.queue);
    new Sweep(this, this.functions.byName.sweep);
    if (this.mail) new ReturnedMail(this, this.mail, this.functions.byName['mail-event']);
    this.alarms = new Alarms(this, this);
    this.dashboard = new Dashboard(this, this, this.alarms);
    Tags.of(this).add('holdfast:stage', stage, { excludeResourceTypes: ['AWS::CloudWatch::Dashboard'] });
  }

  /** The function that runs tools: what they need besides, rights and variables, is given to it. */
  get toolStep(): NodejsFunction {
    return this.functions.byName['tool-step'];
  }

  /** Lets somebody with AWS credentials call the whole API. */
  grantCalls(grantee: IGrantable): Grant {
    return Grant.addToPrincipal({ grantee, actions: ['execute-api:Invoke'], resourceArns: [this.api.httpApi.arnForExecuteApi()] });
  }
}
