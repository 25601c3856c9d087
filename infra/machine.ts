import { ArnFormat, type CfnElement, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { Function as LambdaFn } from 'aws-cdk-lib/aws-lambda';
import {
  type CatchProps,
  type CfnStateMachine,
  CfnStateMachineVersion,
  Choice,
  Condition,
  DefinitionBody,
  Fail,
  IntegrationPattern,
  JitterType,
  JsonPath,
  LogLevel,
  Pass,
  StateMachine,
  Succeed,
  TaskInput,
  type TaskStateBase,
  Timeout,
  Wait,
  WaitTime,
} from 'aws-cdk-lib/aws-stepfunctions';
import { LambdaInvoke, type LambdaInvokeProps } from 'aws-cdk-lib/aws-stepfunctions-tasks';
import { Construct } from 'constructs';
import { CARRIERS, FUNCTIONS, type FunctionName, TASK_MARGIN_SECONDS } from '../shared/functions.ts';
import { ASK_TIMEOUT_SECONDS, executionState, FAIL, MAX_FAILURES, type NextName, type Outcome, STATE } from '../shared/machine.ts';
import { accept, wildcard } from './accepted.ts';
import { logGroup } from './log-group.ts';
import { prefixOf } from './names.ts';
import type { Settings } from './settings.ts';

type Functions = Record<FunctionName, LambdaFn>;

type Carrier = (typeof CARRIERS)[number];

/** The machine's ARN, built from its name: so functions can be told it without depending on the machine. */
export const machineArn = (scope: Construct, stage: string) =>
  Stack.of(scope).formatArn({
    service: 'states',
    resource: 'stateMachine',
    resourceName: prefixOf(stage),
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });

/** The loop of a run. It holds no rules: every step answers what comes next. */
export class Machine extends Construct {
  readonly stateMachine: StateMachine;
  /** The version of this deployment: new runs start on it, and stay. */
  readonly version: CfnStateMachineVersion;
  private readonly functions: Functions;
  private readonly crashed: Pass;

  constructor(scope: Construct, functions: Functions, settings: Settings) {
    super(scope, 'Machine');
    this.functions = functions;
    this.crashed = crashedState(this);
    const model = this.step(STATE.model, 'model-step');
    model.next(this.nextChoice(model));
    this.crashed.next(failureLimit(this, model));
    const name = prefixOf(settings.stage);
    // The history of every execution is kept for 90 days by itself: here is what went wrong, for longer.
    const destination = logGroup(this, 'Log', `/aws/vendedlogs/states/${name}`, settings);
    this.stateMachine = new StateMachine(this, 'StateMachine', {
      stateMachineName: name,
      definitionBody: DefinitionBody.fromChainable(model),
      logs: { destination, level: LogLevel.ERROR, includeExecutionData: false },
      tracingEnabled: true,
    });
    this.version = publish(this, this.stateMachine);
    // CDK lets the machine invoke the newest version alone, and its role is shared by all versions.
    for (const name of CARRIERS) functions[name].grantInvoke(this.stateMachine);
    accept(this.stateMachine, {
      [wildcard('*')]: 'Traces, and deliveries of logs, name no resources',
      'AwsSolutions-SF1': 'Every event is in the history of its execution for 90 days, and every record in the table for good',
    });
    for (const name of CARRIERS) {
      const every = `<${logicalId(functions[name])}.Arn>:*`;
      accept(this.stateMachine, { [wildcard(every)]: 'Runs stay on the version of the function with which they began' });
    }
  }

  private nextChoice(model: LambdaInvoke): Choice {
    return new Choice(this, STATE.choice)
      .when(nextIs('tools'), this.step(STATE.tools, 'tool-step').next(model))
      .when(nextIs('ask'), this.ask().next(model))
      .when(nextIs('wait'), waitState(this).next(model))
      .when(nextIs('continue'), this.continue().next(new Succeed(this, STATE.continued)))
      .when(nextIs('model'), model)
      .when(endsAs('completed'), new Succeed(this, STATE.completed))
      .when(endsAs('failed'), new Fail(this, STATE.failed, { error: FAIL.failed, cause: 'The run ended as failed; its log says why' }))
      .when(endsAs('cancelled'), new Succeed(this, STATE.cancelled))
      .when(endsAs('superseded'), new Succeed(this, STATE.superseded));
  }

  /** A step: its result is what the handler returns. */
  private step(name: string, functionName: Carrier): LambdaInvoke {
    return this.invoke(name, functionName, {
      payload: TaskInput.fromObject({ ...stateFields(), retries: JsonPath.numberAt('$$.State.RetryCount') }),
      outputPath: '$.Payload',
      taskTimeout: timeoutOf(functionName),
    });
  }

  /** Suspends on a task token. The answer is read from the log, so what comes with the token is dropped. */
  private ask(): LambdaInvoke {
    return this.invoke(STATE.ask, 'ask', {
      integrationPattern: IntegrationPattern.WAIT_FOR_TASK_TOKEN,
      payload: TaskInput.fromObject({ ...stateFields(), token: JsonPath.taskToken }),
      resultPath: JsonPath.DISCARD,
      taskTimeout: Timeout.duration(Duration.seconds(ASK_TIMEOUT_SECONDS)),
    });
  }

  private continue(): LambdaInvoke {
    const { runId, segment, cursor } = stateFields();
    return this.invoke(STATE.continue, 'recover', {
      payload: TaskInput.fromObject({ runId, segment, cursor, source: 'continue' }),
      resultPath: JsonPath.DISCARD,
      taskTimeout: timeoutOf('recover'),
    });
  }

  private invoke(name: string, functionName: Carrier, props: Omit<LambdaInvokeProps, 'lambdaFunction'>): LambdaInvoke {
    const task = new LambdaInvoke(this, name, {
      // A version, which no later deployment changes: runs under way stay on the code with which they began.
      lambdaFunction: this.functions[functionName].currentVersion,
      retryOnServiceExceptions: false,
      ...props,
    } as LambdaInvokeProps);
    retryThrottled(task);
    task.addCatch(this.crashed, CATCH_ALL);
    return task;
  }
}

/** As the name of a resource in the template. */
const logicalId = (made: LambdaFn) => Stack.of(made).getLogicalId(made.node.defaultChild as CfnElement);

const CATCH_ALL: CatchProps = { errors: ['States.ALL'], resultPath: '$.failure' };

/** The only error after which a function surely did not start. Twelve attempts take up to three minutes. */
function retryThrottled(task: TaskStateBase) {
  task.addRetry({
    errors: ['Lambda.TooManyRequestsException'],
    interval: Duration.seconds(1),
    maxDelay: Duration.seconds(20),
    maxAttempts: 12,
    jitterStrategy: JitterType.FULL,
  });
}

/** Longer than the function's own limit: a Task that times out first would leave its function running. */
const timeoutOf = (name: FunctionName) => Timeout.duration(Duration.seconds(FUNCTIONS[name].timeoutSeconds + TASK_MARGIN_SECONDS));

/** Publishes what the machine is now. CloudFormation would delete the version before, and with it the code of runs under way. */
function publish(scope: Construct, machine: StateMachine): CfnStateMachineVersion {
  const { attrStateMachineRevisionId: stateMachineRevisionId } = machine.node.defaultChild as CfnStateMachine;
  const version = new CfnStateMachineVersion(scope, 'Version', { stateMachineArn: machine.stateMachineArn, stateMachineRevisionId });
  version.applyRemovalPolicy(RemovalPolicy.RETAIN);
  return version;
}

/** Every field of the state, picked by name: whatever else a step returned is left behind. */
const stateFields = (): Record<string, string> =>
  Object.fromEntries(Object.keys(executionState.shape).map((field) => [field, JsonPath.stringAt(`$.${field}`)]));

const nextIs = (next: NextName) => Condition.stringEquals('$.next', next);
const endsAs = (outcome: Outcome) => Condition.and(nextIs('end'), Condition.stringEquals('$.outcome', outcome));

const waitState = (scope: Construct) => new Wait(scope, STATE.wait, { time: WaitTime.secondsPath('$.waitSeconds') });

/** Counts a failed invocation. After a catch only the fields of the state are sure to be there. */
const crashedState = (scope: Construct) =>
  new Pass(scope, STATE.crashed, { parameters: { ...stateFields(), failures: JsonPath.mathAdd(JsonPath.numberAt('$.failures'), 1) } });

function failureLimit(scope: Construct, model: LambdaInvoke): Choice {
  const cause = `More than ${MAX_FAILURES} invocations in a row failed`;
  const backoff = new Wait(scope, STATE.backoff, { time: WaitTime.duration(Duration.seconds(1)) });
  return new Choice(scope, STATE.failureLimit)
    .when(Condition.numberGreaterThan('$.failures', MAX_FAILURES), new Fail(scope, STATE.broken, { error: FAIL.broken, cause }))
    .otherwise(backoff.next(model));
}
