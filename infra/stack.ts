import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { Api } from './api.ts';
import { HANDLERS } from './bundling.ts';
import { Functions } from './functions.ts';
import { LinkKey } from './link-key.ts';
import { Machine } from './machine.ts';
import { mailSender } from './mail.ts';
import { Recovery } from './recovery.ts';
import { ReturnedMail } from './returned-mail.ts';
import { Sweep } from './sweep.ts';
import { Tables } from './tables.ts';
import { webhookKey } from './webhook-key.ts';

export interface HoldfastProps extends StackProps {
  /** The folder of the handlers' files; `lambdas` unless told otherwise. */
  handlers?: string;
  /** The module that registers agents; `agents/index.ts`, or the one that the context `agents` names. */
  agents?: string;
}

/** Everything Holdfast needs in an account. The local runner takes its state machine and tables from here. */
export class HoldfastStack extends Stack {
  readonly tables: Tables;
  readonly functions: Functions;
  readonly machine: Machine;

  constructor(scope: Construct, id: string, props: HoldfastProps = {}) {
    super(scope, id, props);
    this.tables = new Tables(this);
    const api = new Api(this);
    const asking = { linkKey: new LinkKey(this), mail: mailSender(this), webhookKey: webhookKey(this) };
    const means = { tables: this.tables, publicUrl: api.url, ...asking };
    const agents: string | undefined = props.agents ?? this.node.tryGetContext('agents');
    this.functions = new Functions(this, means, { handlers: props.handlers ?? HANDLERS, agents });
    api.answerBy(this.functions.byName);
    this.machine = new Machine(this, this.functions.byName);
    new Recovery(this, this.machine.stateMachine, this.functions.byName.recover);
    new Sweep(this, this.functions.byName.sweep);
    if (asking.mail) new ReturnedMail(this, asking.mail.set, this.functions.byName['mail-event']);
    new CfnOutput(this, 'ApiUrl', { value: api.url });
  }
}
