import { GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import {
  DeleteStateMachineCommand,
  DescribeExecutionCommand,
  DescribeStateMachineCommand,
  PublishStateMachineVersionCommand,
  SFNClient,
  StopExecutionCommand,
  UpdateStateMachineCommand,
} from '@aws-sdk/client-sfn';
import { segmentName } from '../../shared/machine.ts';
import type { Simulator } from './simulator.ts';
import type { Stage } from './stage.ts';

/** What somebody with an account does there, without Holdfast. */

const access = ({ simulator }: Pick<Stage, 'simulator'>) => ({
  endpoint: simulator.endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'operator', secretAccessKey: 'operator' },
});

/** The ARN of a segment's execution. */
export const executionOf = ({ simulator }: Stage, runId: string, segment: number): string =>
  `${simulator.machineArn.replace(':stateMachine:', ':execution:')}:${segmentName(runId, segment)}`;

/** Stops the execution of a segment. */
export async function stopExecution(stage: Stage, runId: string, segment: number): Promise<void> {
  await new SFNClient(access(stage)).send(new StopExecutionCommand({ executionArn: executionOf(stage, runId, segment) }));
}

/** Changes the state machine as another deployment does, to a loop that fails at once, and publishes that. */
export async function deployBrokenMachine(stage: Stage): Promise<void> {
  const [client, stateMachineArn] = [new SFNClient(access(stage)), stage.simulator.machineArn];
  const definition = JSON.stringify({ StartAt: 'Broken', States: { Broken: { Type: 'Fail', Error: 'AnotherVersion' } } });
  await client.send(new UpdateStateMachineCommand({ stateMachineArn, definition }));
  await client.send(new PublishStateMachineVersionCommand({ stateMachineArn }));
}

/** Publishes the definition of the first version once more. */
export async function deployFirstMachine(stage: Stage): Promise<void> {
  const [client, stateMachineArn] = [new SFNClient(access(stage)), stage.simulator.machineArn];
  const { definition } = await client.send(new DescribeStateMachineCommand({ stateMachineArn: `${stateMachineArn}:1` }));
  await client.send(new UpdateStateMachineCommand({ stateMachineArn, definition }));
  await client.send(new PublishStateMachineVersionCommand({ stateMachineArn }));
}

/** Removes the state machine, and with it every version. */
export async function deleteMachine(simulator: Simulator, stateMachineArn: string): Promise<void> {
  await new SFNClient(access({ simulator })).send(new DeleteStateMachineCommand({ stateMachineArn }));
}

/** The ARN of the version of the state machine that a segment runs on. */
export async function versionOfSegment(stage: Stage, runId: string, segment: number): Promise<string | undefined> {
  const found = await new SFNClient(access(stage)).send(new DescribeExecutionCommand({ executionArn: executionOf(stage, runId, segment) }));
  return found.stateMachineVersionArn;
}

/** Gives the secret that signs links another text. */
export async function rotateLinkKey(stage: Stage, key: string): Promise<void> {
  const SecretId = stage.simulator.idOf('AWS::SecretsManager::Secret');
  await new SecretsManagerClient(access(stage)).send(new PutSecretValueCommand({ SecretId, SecretString: key }));
}

/** Reads the secret that signs links. */
export async function readLinkKey(stage: Stage): Promise<string> {
  const SecretId = stage.simulator.idOf('AWS::SecretsManager::Secret');
  return (await new SecretsManagerClient(access(stage)).send(new GetSecretValueCommand({ SecretId }))).SecretString as string;
}
