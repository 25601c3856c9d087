import { randomUUID } from 'node:crypto';
import { type Input, type Operation, ServiceError } from './aws-service.ts';
import type { Execution, ExecutionEnvironment } from './execution.ts';
import type { Executions } from './executions.ts';
import { executionArn, MACHINE_ARN } from './names.ts';
import type { Delivery, Tokens } from './tokens.ts';

const MAX_INPUT_BYTES = 262_144;

/** What executions of a version work with; undefined when there is no such version. */
export type FindVersion = (stateMachineArn: string) => ExecutionEnvironment | undefined;

/** The operations of Step Functions that handlers call, by name. */
export function stepFunctionsOf(executions: Executions, tokens: Tokens, versions: FindVersion): Record<string, Operation> {
  return {
    StartExecution: (input) => start(executions, versions, input),
    StopExecution: async (input) => ({ stopDate: seconds((await existing(executions.stop(nameIn(input)))).stoppedAt as number) }),
    DescribeExecution: async (input) => describe(await existing(executions.find(nameIn(input)))),
    SendTaskSuccess: ({ taskToken, output }) => deliver(tokens, taskToken, { output: json(output, 'InvalidOutput') }),
    SendTaskFailure: ({ taskToken, error, cause }) => deliver(tokens, taskToken, { error, cause }),
    SendTaskHeartbeat: ({ taskToken = '' }) => checked(tokens.state(taskToken)),
  };
}

function start(executions: Executions, versions: FindVersion, { stateMachineArn = '', name = randomUUID(), input }: Input): object {
  const version = versions(stateMachineArn);
  if (!version) throw new ServiceError('StateMachineDoesNotExist', `State Machine Does Not Exist: '${stateMachineArn}'`);
  if (!/^[\w.+=@'()!-]{1,80}$/.test(name)) throw new ServiceError('InvalidName', `Invalid Name: '${name}'`);
  const started = executions.start(name, json(input ?? '{}', 'InvalidExecutionInput'), version);
  if (!started) throw new ServiceError('ExecutionAlreadyExists', `Execution Already Exists: '${executionArn(name)}'`);
  return { executionArn: executionArn(name), startDate: seconds(started.startedAt) };
}

function json(text: string | undefined, error: string): string {
  try {
    if (Buffer.byteLength(text ?? '') > MAX_INPUT_BYTES) throw new Error(`it is larger than ${MAX_INPUT_BYTES} bytes`);
    JSON.parse(text ?? '');
    return text as string;
  } catch (cause) {
    throw new ServiceError(error, `Cannot read JSON: ${(cause as Error).message}`);
  }
}

const nameIn = ({ executionArn }: Input) => executionArn?.split(':').at(-1) ?? '';

async function existing(found: Execution | undefined | Promise<Execution | undefined>): Promise<Execution> {
  const execution = await found;
  if (!execution) throw new ServiceError('ExecutionDoesNotExist', 'Execution Does Not Exist');
  return execution;
}

/** The API's times are seconds since the epoch. */
const seconds = (ms: number) => ms / 1000;

function describe({ name, status, startedAt, stoppedAt, input, output, error, cause }: Execution): object {
  const stopDate = stoppedAt === undefined ? undefined : seconds(stoppedAt);
  const arns = { executionArn: executionArn(name), stateMachineArn: MACHINE_ARN };
  return { ...arns, name, status, startDate: seconds(startedAt), stopDate, input, output, error, cause };
}

const deliver = (tokens: Tokens, token = '', delivery: Delivery) => checked(tokens.deliver(token, delivery));

function checked(state: ReturnType<Tokens['state']>): object {
  if (state === 'malformed') throw new ServiceError('InvalidToken', 'Invalid Token');
  if (state === 'unknown') throw new ServiceError('TaskDoesNotExist', 'Task does not exist');
  if (state === 'closed') throw new ServiceError('TaskTimedOut', 'Task Timed Out: Provided task does not exist anymore');
  return {};
}
