import { DynamoDBClient, paginateQuery } from '@aws-sdk/client-dynamodb';
import type { RunStatus } from '../../shared/meta.ts';
import { RUN_TABLE } from '../../shared/tables.ts';
import type { Journal } from './journal.ts';
import { DUMMY_CREDENTIALS, REGION, TABLES } from './names.ts';

/** Statuses of runs that an execution should be at work for. */
const UNFINISHED: RunStatus[] = ['running', 'waiting'];

/** A run that was not over when the last host ended, and the executions that were at work for it. */
export interface Unfinished {
  runId: string;
  executions: string[];
}

/**
 * Finds the runs that were not over. The journal knows every execution that was acknowledged; the index also knows runs
 * whose first execution was not yet started, but it may lack one whose status was being changed when the host was killed.
 */
export async function findUnfinished(endpoint: string, journal: Journal): Promise<Unfinished[]> {
  const found = new Map<string, string[]>();
  for await (const runId of unfinishedByStatus(endpoint)) found.set(runId, []);
  for (const [name, input] of journal.read()) {
    const { runId } = JSON.parse(input) as { runId: string };
    found.set(runId, [...(found.get(runId) ?? []), name]);
  }
  return [...found].map(([runId, executions]) => ({ runId, executions }));
}

async function* unfinishedByStatus(endpoint: string): AsyncGenerator<string> {
  const client = new DynamoDBClient({ endpoint, region: REGION, credentials: DUMMY_CREDENTIALS });
  for (const status of UNFINISHED) {
    for await (const page of paginateQuery({ client }, queryFor(status))) {
      for (const item of page.Items ?? []) yield item.runId?.S as string;
    }
  }
  client.destroy();
}

const queryFor = (status: RunStatus) => ({
  TableName: TABLES.runs,
  IndexName: RUN_TABLE.byStatus,
  KeyConditionExpression: '#status = :status',
  ExpressionAttributeNames: { '#status': 'status' },
  ExpressionAttributeValues: { ':status': { S: status } },
});
