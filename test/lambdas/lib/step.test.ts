import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { segmentInput } from '../../../shared/machine.ts';
import type { Draft } from '../../../shared/record.ts';
import { ending, replying, task } from '../../support/log-builder.ts';
import { aMeta } from '../../support/meta.ts';
import { openTables } from '../../support/tables.ts';

let tables: Awaited<ReturnType<typeof openTables>>;
let lib: Awaited<ReturnType<typeof importLib>>;
beforeAll(async () => {
  tables = await openTables();
  lib = await importLib();
});
afterAll(() => tables?.close());

const importLib = async () => ({
  ...(await import('../../../lambdas/lib/step.ts')),
  ...(await import('../../../lambdas/lib/log-store.ts')),
  ...(await import('../../../lambdas/lib/meta-store.ts')),
  ...(await import('../../../lambdas/lib/inbox.ts')),
  ...(await import('../../../lambdas/lib/dynamo.ts')),
});

const RUN = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const INVOCATION = { awsRequestId: 'r-1', getRemainingTimeInMillis: () => 60_000 };

/** Has something happen once, between the first read of a log and all that comes after it. */
function afterFirstQuery(happens: () => Promise<void>): void {
  let left = 1;
  lib.dynamo.middlewareStack.add(
    (next, context) => async (args) => {
      const answer = await next(args);
      if (context.commandName === 'QueryCommand' && left-- > 0) await happens();
      return answer;
    },
    { step: 'initialize', name: 'afterFirstQuery', override: true },
  );
}

async function appendAll(...drafts: Draft[]): Promise<void> {
  for (const [i, draft] of drafts.entries()) await lib.appendAt(RUN, i + 1, draft);
}

describe('runStep()', () => {
  it('answers a message that another step took in after this one had read a log with an end', async () => {
    await appendAll(task(), replying({ text: 'Done.' }), ending());
    await lib.createMeta(aMeta({ runId: RUN, segment: 2 }));
    await lib.postMessage(RUN, 'm-1', { text: 'more' });
    // As another worker does: the cache of this one does not know of it.
    afterFirstQuery(async () => {
      await lib.appendAt(RUN, 4, { type: 'user', messages: [{ id: 'm-1', text: 'more', at: 1 }] });
      await lib.strikeMessages(RUN, ['m-1']);
    });
    const told = await lib.runStep('model', segmentInput(RUN, 2), INVOCATION, async ({ log: seen }) => {
      expect(seen.map(({ type }) => type)).toEqual(['task', 'reply', 'end', 'user']);
      return lib.append(RUN, seen, replying({ text: 'Done.' }));
    });
    expect(told).toMatchObject({ next: 'end', outcome: 'completed' });
    expect((await lib.readLog(RUN)).map(({ type }) => type)).toEqual(['task', 'reply', 'end', 'user', 'reply', 'end']);
    expect(await lib.mustRead(RUN)).toMatchObject({ status: 'completed', totals: { turns: 2 } });
  });
});
