import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { VARIABLES } from '../../../../shared/environment.ts';
import { segmentInput, segmentName } from '../../../../shared/machine.ts';
import { META_KEY, runKey } from '../../../../shared/tables.ts';

/** A run that follows a script: each word says what a model step answers, or what befalls it. */
export interface ScriptedRun {
  runId: string;
  script: string[];
  status: string;
  segment: number;
  /** Where in the script the current segment starts. */
  offset: number;
  /** Where in the script the last ask was. */
  askedAt?: number;
  /** What `recover` was told, in order. */
  recovered: string[];
  /** The token that the run waits on. */
  token?: string;
}

const table = DynamoDBDocumentClient.from(new DynamoDBClient({}));
export const stepFunctions = new SFNClient({});
const TableName = process.env[VARIABLES.table];
const keyOf = (runId: string) => ({ pk: runKey(runId), sk: META_KEY });

export async function getRun(runId: string): Promise<ScriptedRun> {
  const { Item } = await table.send(new GetCommand({ TableName, Key: keyOf(runId), ConsistentRead: true }));
  return Item as ScriptedRun;
}

export const putRun = (run: ScriptedRun) => table.send(new PutCommand({ TableName, Item: { ...keyOf(run.runId), ...run } }));

export const setField = (runId: string, field: string, value: unknown) =>
  table.send(
    new UpdateCommand({
      TableName,
      Key: keyOf(runId),
      UpdateExpression: 'SET #field = :value',
      ExpressionAttributeNames: { '#field': field },
      ExpressionAttributeValues: { ':value': value },
    }),
  );

export const startSegment = (runId: string, segment: number) =>
  stepFunctions.send(
    new StartExecutionCommand({
      stateMachineArn: process.env[VARIABLES.stateMachineArn],
      name: segmentName(runId, segment),
      input: JSON.stringify(segmentInput(runId, segment)),
    }),
  );

export const answer = (statusCode: number, body: unknown) => ({ statusCode, body: JSON.stringify(body) });
