import { GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SFNClient, StopExecutionCommand } from '@aws-sdk/client-sfn';
import { segmentName } from '../../shared/machine.ts';
import type { Stage } from './stage.ts';

/** What somebody with an account does there, without Holdfast. */

const access = ({ simulator }: Stage) => ({
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
