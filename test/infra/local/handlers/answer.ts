import { SendTaskSuccessCommand } from '@aws-sdk/client-sfn';
import { answer, getRun, setField, stepFunctions } from './run.ts';

export async function handler({ pathParameters }: { pathParameters: { id: string } }) {
  const { runId, token } = await getRun(pathParameters.id);
  await setField(runId, 'status', 'running');
  await stepFunctions.send(new SendTaskSuccessCommand({ taskToken: token, output: '{"ignored":true}' }));
  return answer(200, { runId });
}
