import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { DUMMY_CREDENTIALS, REGION, TABLES } from '../../infra/local/names.ts';
import { unpack } from '../../lambdas/lib/body.ts';
import type { Machine } from './machine.ts';

/** Everything that a machine keeps, by its place: each item of the tables with its body open, and each file beside them. */
export async function storesOf(machine: Machine): Promise<Map<string, string>> {
  return new Map([...(await itemsOf(machine)), ...filesIn(machine.dataDir), ...executionsOf(machine)]);
}

/** Where a text stands in all that a machine keeps. */
export async function placesWith(machine: Machine, text: string): Promise<string[]> {
  return [...(await storesOf(machine))].flatMap(([place, content]) => (content.includes(text) ? [place] : []));
}

async function itemsOf({ host }: Machine): Promise<[string, string][]> {
  const client = DynamoDBDocumentClient.from(
    new DynamoDBClient({ endpoint: host.endpoints.store, region: REGION, credentials: DUMMY_CREDENTIALS }),
  );
  const found: [string, string][] = [];
  for (const TableName of Object.values(TABLES)) {
    for await (const { Items = [] } of paginateScan({ client }, { TableName })) {
      found.push(...Items.map((item) => [`${TableName} ${item.pk ?? item.id} ${item.sk ?? ''}`, textOf(item)] as [string, string]));
    }
  }
  client.destroy();
  return found;
}

function textOf({ body, ...plain }: Record<string, unknown>): string {
  const open = body instanceof Uint8Array ? JSON.stringify(unpack(body)) : '';
  return (
    JSON.stringify(plain, (_, value) =>
      value instanceof Set ? [...value] : value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
    ) + open
  );
}

/** Not looked at are the files of the tables' engine, which keeps what was removed until it tidies up, and the code itself. */
function filesIn(folder: string, root = folder): [string, string][] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    const place = relative(root, path);
    if (['tables', 'lock', 'versions'].includes(place)) return [];
    return statSync(path).isDirectory() ? filesIn(path, root) : ([[place, readFileSync(path, 'latin1')]] as [string, string][]);
  });
}

const executionsOf = ({ host }: Machine): [string, string][] =>
  host.info().executions.map((execution) => [`execution ${execution.name}`, JSON.stringify(execution)]);
