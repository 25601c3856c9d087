import {
  DescribeExecutionCommand,
  SendTaskFailureCommand,
  SendTaskHeartbeatCommand,
  SendTaskSuccessCommand,
  SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import { describe, expect, it } from 'vitest';
import type { Host } from '../../../infra/local/host.ts';
import { DUMMY_CREDENTIALS, executionArn, MACHINE_ARN, REGION } from '../../../infra/local/names.ts';
import { segmentInput } from '../../../shared/machine.ts';
import { closed, reached, readRun, startRun, startScriptedHost, until } from './scripted-host.ts';

const clientOf = (host: Host) => new SFNClient({ endpoint: host.endpoints.stepFunctions, region: REGION, credentials: DUMMY_CREDENTIALS });
const start = (host: Host, name: string, input: string, stateMachineArn = MACHINE_ARN) =>
  clientOf(host).send(new StartExecutionCommand({ stateMachineArn, name, input }));
const inputOf = (runId: string) => JSON.stringify(segmentInput(runId, 1));

async function waitingRun(): Promise<{ host: Host; token: string }> {
  const host = await startScriptedHost();
  await startRun(host.url, 'A', ['ask', 'end:completed']);
  return { host, token: await until(async () => (await readRun(host.url, 'A')).token) };
}

describe('StartExecution', () => {
  it('changes nothing when it is repeated with the same name and input while the execution is at work', async () => {
    const { host } = await waitingRun();
    const again = await start(host, 'A-0001', inputOf('A'));
    expect(again.executionArn).toBe(executionArn('A-0001'));
    expect(host.info().executions).toHaveLength(1);
  });

  it('refuses a name that is taken with another input, or by an execution that is closed', async () => {
    const { host } = await waitingRun();
    await expect(start(host, 'A-0001', '{}')).rejects.toMatchObject({ name: 'ExecutionAlreadyExists' });
    await startRun(host.url, 'B', ['end:completed']);
    await closed(host, 'B-0001');
    await expect(start(host, 'B-0001', inputOf('B'))).rejects.toMatchObject({ name: 'ExecutionAlreadyExists' });
  });

  it('refuses unknown machines, names out of form and inputs that are not JSON', async () => {
    const host = await startScriptedHost();
    await expect(start(host, 'A', '{}', `${MACHINE_ARN}2`)).rejects.toMatchObject({ name: 'StateMachineDoesNotExist' });
    await expect(start(host, 'a/b', '{}')).rejects.toMatchObject({ name: 'InvalidName' });
    await expect(start(host, 'A', '{')).rejects.toMatchObject({ name: 'InvalidExecutionInput' });
  });
});

describe('StopExecution and DescribeExecution', () => {
  it('end and show an execution, and recover is told', async () => {
    const { host, token } = await waitingRun();
    const client = clientOf(host);
    const arn = { executionArn: executionArn('A-0001') };
    expect(await client.send(new DescribeExecutionCommand(arn))).toMatchObject({ status: 'RUNNING', name: 'A-0001', input: inputOf('A') });
    expect((await client.send(new StopExecutionCommand(arn))).stopDate).toBeInstanceOf(Date);
    expect(await client.send(new DescribeExecutionCommand(arn))).toMatchObject({ status: 'ABORTED' });
    await expect(client.send(new SendTaskSuccessCommand({ taskToken: token, output: '{}' }))).rejects.toMatchObject({
      name: 'TaskTimedOut',
    });
    await until(async () => (await readRun(host.url, 'A')).recovered.includes('aws.states'));
  });

  it('know nothing of an execution that never was', async () => {
    const host = await startScriptedHost();
    const described = clientOf(host).send(new DescribeExecutionCommand({ executionArn: executionArn('none') }));
    await expect(described).rejects.toMatchObject({ name: 'ExecutionDoesNotExist' });
  });
});

describe('SendTaskSuccess, SendTaskFailure and SendTaskHeartbeat', () => {
  it('deliver once', async () => {
    const { host, token } = await waitingRun();
    const client = clientOf(host);
    const success = () => client.send(new SendTaskSuccessCommand({ taskToken: token, output: '{}' }));
    await client.send(new SendTaskHeartbeatCommand({ taskToken: token }));
    await success();
    await expect(success()).rejects.toMatchObject({ name: 'TaskTimedOut' });
    await reached(host.url, 'A', 'completed');
  });

  it('let a failure lead back to the model step', async () => {
    const { host, token } = await waitingRun();
    await clientOf(host).send(new SendTaskFailureCommand({ taskToken: token, error: 'Refused' }));
    await reached(host.url, 'A', 'completed');
    expect(await closed(host, 'A-0001')).toMatchObject({ status: 'SUCCEEDED', transitions: 9 });
  });

  it('tell malformed tokens from unknown ones, and refuse output that is not JSON', async () => {
    const { host, token } = await waitingRun();
    const success = (taskToken: string, output = '{}') => clientOf(host).send(new SendTaskSuccessCommand({ taskToken, output }));
    await expect(success('token')).rejects.toMatchObject({ name: 'InvalidToken' });
    await expect(success(`${token.slice(0, -4)}0000`)).rejects.toMatchObject({ name: 'TaskDoesNotExist' });
    await expect(success(token, 'yes')).rejects.toMatchObject({ name: 'InvalidOutput' });
  });
});
