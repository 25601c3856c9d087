import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { Api } from './api.ts';
import { HANDLERS } from './bundling.ts';
import { Functions } from './functions.ts';
import { Machine } from './machine.ts';
import { Recovery } from './recovery.ts';
import { Tables } from './tables.ts';

export interface HoldfastProps extends StackProps {
  /** The folder of the handlers' files; `lambdas` unless told otherwise. */
  handlers?: string;
}

/** Everything Holdfast needs in an account. The local runner takes its state machine and tables from here. */
export class HoldfastStack extends Stack {
  readonly tables: Tables;
  readonly functions: Functions;
  readonly machine: Machine;

  constructor(scope: Construct, id: string, props: HoldfastProps = {}) {
    super(scope, id, props);
    this.tables = new Tables(this);
    this.functions = new Functions(this, this.tables, props.handlers ?? HANDLERS);
    this.machine = new Machine(this, this.functions.byName);
    new Recovery(this, this.machine.stateMachine, this.functions.byName.recover);
    const api = new Api(this, this.functions.byName);
    new CfnOutput(this, 'ApiUrl', { value: api.url });
  }
}
