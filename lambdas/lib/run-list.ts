import type { Meta, RunStatus } from '../../shared/meta.ts';
import { RUN_TABLE } from '../../shared/tables.ts';
import { query } from './dynamo.ts';
import { readable } from './item.ts';
import { readMeta } from './meta-store.ts';

/** What runs are asked for: newest first, below the run id `before`. */
export interface RunQuery {
  readonly statuses: readonly RunStatus[];
  readonly agent?: string | undefined;
  readonly before?: string | undefined;
  readonly limit: number;
}

/** Lists runs, newest first. The index may lag behind: each run is shown as its own META says, or left out. */
export async function listRuns({ statuses, agent, before = '~', limit }: RunQuery): Promise<{ runs: Meta[]; next?: string }> {
  const runs: Meta[] = [];
  let below = before;
  for (;;) {
    const ids = await newestIds(statuses, below, limit);
    const metas = await Promise.all(ids.map((id) => readable(() => readMeta(id))));
    runs.push(
      ...metas.filter((meta): meta is Meta => meta !== undefined && statuses.includes(meta.status) && (!agent || meta.agent === agent)),
    );
    below = ids.at(-1) ?? '';
    if (runs.length > limit) return pageOf(runs.slice(0, limit));
    if (ids.length < limit) return { runs };
    if (runs.length === limit) return pageOf(runs);
  }
}

const pageOf = (runs: Meta[]) => ({ runs, ...(runs.length > 0 ? { next: (runs.at(-1) as Meta).runId } : {}) });

/** Merges the newest run ids of several statuses. A run on its way between two statuses may be in both. */
async function newestIds(statuses: readonly RunStatus[], below: string, limit: number): Promise<string[]> {
  const lists = await Promise.all(statuses.map((status) => idsOf(status, below, limit)));
  return [...new Set(lists.flat())].sort().reverse().slice(0, limit);
}

async function idsOf(status: RunStatus, below: string, limit: number): Promise<string[]> {
  const items = await query({
    IndexName: RUN_TABLE.byStatus,
    KeyConditionExpression: '#status = :status AND runId < :below',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':status': status, ':below': below },
    ScanIndexForward: false,
    Limit: limit,
  });
  return items.map(({ runId }) => String(runId));
}
