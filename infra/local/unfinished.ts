import { DynamoDBClient, GetItemCommand, paginateQuery } from '@aws-sdk/client-dynamodb';
import type { RunStatus } from '../../shared/meta.ts';
import { META_KEY, RUN_TABLE, runKey } from '../../shared/tables.ts';
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
  const client = clientOf(endpoint);
  for await (const runId of runsWith(client, UNFINISHED)) found.set(runId, []);
  client.destroy();
  for (const [name, input] of journal.read()) {
    const { runId } = JSON.parse(input) as { runId: string };
    found.set(runId, [...(found.get(runId) ?? []), name]);
  }
  return [...found].map(([runId, executions]) => ({ runId, executions }));
}

/** Names the machines that unfinished runs are pinned to, those included that wait for somebody to resume them. */
export async function machinesInUse(endpoint: string, unfinished: readonly Unfinished[]): Promise<Set<string>> {
  const client = clientOf(endpoint);
  const machines = new Set<string>();
  const runIds = new Set(unfinished.map(({ runId }) => runId));
  for await (const runId of runsWith(client, ['running', 'waiting', 'interrupted'])) runIds.add(runId);
  for (const runId of runIds) {
    const Key = { pk: { S: runKey(runId) }, sk: { S: META_KEY } };
    const { Item } = await client.send(new GetItemCommand({ TableName: TABLES.runs, Key, ConsistentRead: true }));
    const machine = Item?.pin?.M?.machine?.S;
    if (machine !== undefined) machines.add(machine);
  }
  client.destroy();
  return machines;
}

const clientOf = (endpoint: string) => new DynamoDBClient({ endpoint, region: REGION, credentials: DUMMY_CREDENTIALS });

async function* runsWith(client: DynamoDBClient, statuses: readonly RunStatus[]): AsyncGenerator<string> {
  for (const status of statuses) {
    for await (const page of paginateQuery({ client }, queryFor(status))) {
      for (const item of page.Items ?? []) yield item.runId?.S as string;
    }
  }
}

const queryFor = (status: RunStatus) => ({
  TableName: TABLES.runs,
  IndexName: RUN_TABLE.byStatus,
  KeyConditionExpression: '#status = :status',
  ExpressionAttributeNames: { '#status': 'status' },
  ExpressionAttributeValues: { ':status': { S: status } },
});
