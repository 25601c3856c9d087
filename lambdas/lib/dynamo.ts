import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  type QueryCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { settings } from './settings.ts';

/** An item as stored. */
export type Item = Record<string, unknown>;
/** The key of an item in the run table. */
export interface Key {
  readonly pk: string;
  readonly sk: string;
}

export const dynamo = new DynamoDBClient({});
const documents = DynamoDBDocumentClient.from(dynamo, { marshallOptions: { removeUndefinedValues: true } });

/** A condition on the stored item, in DynamoDB's notation. */
export interface Condition {
  readonly expression: string;
  readonly names?: Record<string, string>;
  readonly values?: Item;
}

export const ABSENT: Condition = { expression: 'attribute_not_exists(pk)' };

/** Writes an item if the condition holds; tells whether it did. */
export const putIf = (item: Item, condition: Condition): Promise<boolean> =>
  whether(documents.send(new PutCommand({ TableName: settings().table, Item: item, ...conditional(condition) })));

/** Changes an item if the condition holds; returns it whole as it is now, or undefined if the condition failed. */
export async function updateIf(key: Key, change: string, condition: Condition): Promise<Item | undefined> {
  const input: UpdateCommandInput = { TableName: settings().table, Key: { ...key }, UpdateExpression: change, ReturnValues: 'ALL_NEW' };
  try {
    return (await documents.send(new UpdateCommand({ ...input, ...conditional(condition) }))).Attributes ?? {};
  } catch (error) {
    if (isConditionFailed(error)) return undefined;
    throw error;
  }
}

/** Writes an item, whatever is there. */
export async function put(item: Item): Promise<void> {
  await documents.send(new PutCommand({ TableName: settings().table, Item: item }));
}

/** Reads an item, strongly consistent. */
export async function get(key: Key): Promise<Item | undefined> {
  return (await documents.send(new GetCommand({ TableName: settings().table, Key: { ...key }, ConsistentRead: true }))).Item;
}

/** Removes an item; it may be gone already. */
export async function remove(key: Key): Promise<void> {
  await documents.send(new DeleteCommand({ TableName: settings().table, Key: { ...key } }));
}

/** Removes an item; tells whether it was there. */
export async function take(key: Key): Promise<boolean> {
  const { Attributes } = await documents.send(new DeleteCommand({ TableName: settings().table, Key: { ...key }, ReturnValues: 'ALL_OLD' }));
  return Attributes !== undefined;
}

/** Reads the items of a partition whose sort keys lie between two keys, in order, strongly consistent. */
export async function between(pk: string, from: string, to: string, limit?: number): Promise<Item[]> {
  return query({
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':pk': pk, ':from': from, ':to': to },
    ConsistentRead: true,
    ...(limit === undefined ? {} : { Limit: limit }),
  });
}

/** Reads the last items of a partition whose sort keys lie between two keys, the last one first, strongly consistent. */
export const newestBetween = async (pk: string, from: string, to: string, limit: number): Promise<Item[]> =>
  query({
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':pk': pk, ':from': from, ':to': to },
    ConsistentRead: true,
    ScanIndexForward: false,
    Limit: limit,
  });

/** Runs a query to its end, or to its limit. */
export async function query(input: Omit<QueryCommandInput, 'TableName'>): Promise<Item[]> {
  const items: Item[] = [];
  let start: Item | undefined;
  do {
    const page = await documents.send(
      new QueryCommand({ TableName: settings().table, ...input, ...(start ? { ExclusiveStartKey: start } : {}) }),
    );
    items.push(...(page.Items ?? []));
    start = page.LastEvaluatedKey;
  } while (start && items.length < (input.Limit ?? Number.POSITIVE_INFINITY));
  return items;
}

function conditional({ expression, names, values }: Condition) {
  return {
    ConditionExpression: expression,
    ...(names ? { ExpressionAttributeNames: names } : {}),
    ...(values ? { ExpressionAttributeValues: values } : {}),
  };
}

async function whether(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (isConditionFailed(error)) return false;
    throw error;
  }
}

/** Checked by name: two copies of the SDK have two classes. */
const isConditionFailed = (error: unknown): boolean => (error as Error)?.name === 'ConditionalCheckFailedException';
