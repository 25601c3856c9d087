import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProblemError } from '../../../shared/errors.ts';
import type { Draft, Question } from '../../../shared/record.ts';
import { effectKey, recordKey, runKey } from '../../../shared/tables.ts';
import { calling, call as callOf } from '../../support/log-builder.ts';
import { aMeta } from '../../support/meta.ts';
import { openTables } from '../../support/tables.ts';

let tables: Awaited<ReturnType<typeof openTables>>;
const load = async () => ({
  ...(await import('../../../lambdas/answer.ts')),
  list: (await import('../../../lambdas/read-runs.ts')).handler,
  pages: (await import('../../../lambdas/ask-page.ts')).handler,
  updateIf: (await import('../../../lambdas/lib/dynamo.ts')).updateIf,
  ...(await import('../../../lambdas/lib/ask-store.ts')),
  ...(await import('../../../lambdas/lib/callback-store.ts')),
  ...(await import('../../../lambdas/lib/callbacks.ts')),
  ...(await import('../../../lambdas/lib/log-store.ts')),
  ...(await import('../../../lambdas/lib/meta-store.ts')),
  ...(await import('../../../lambdas/lib/record-answer.ts')),
});
let stores: Awaited<ReturnType<typeof load>>;
beforeAll(async () => {
  tables = await openTables();
  stores = await load();
});
afterAll(() => tables?.close());

let runs = 0;
const nextRun = () => `01ARZ3NDEKTSV4RRFFQ69A5${String(runs++).padStart(3, '0')}`;

/** A run at its ask, record 3, with these questions: one about each call. */
async function asking(questions: Omit<Question, 'index' | 'text'>[], runId = nextRun()) {
  const ask = { type: 'ask', kind: questions[0]?.kind ?? 'approval', reason: 'test', reply: 2 } as const;
  await stores.createMeta(aMeta({ runId }));
  const drafts: Draft[] = [
    { type: 'task', agent: 'tester', input: null },
    calling(...questions.map(() => callOf())),
    { ...ask, questions: questions.map((question, index) => ({ ...question, index, text: 'Well?' })) },
  ];
  for (const [i, draft] of drafts.entries()) await stores.appendAt(runId, i + 1, draft);
  const now = async () => (await stores.readAsk(runId, 3)) as NonNullable<Awaited<ReturnType<typeof stores.readAsk>>>;
  return { runId, now };
}

describe('deliverCallbacks()', () => {
  /** A run that waits for the results of two calls; both were posted. */
  async function posted() {
    const runId = nextRun();
    const keys = [0, 1].map((index) => effectKey(runId, 2, index));
    const run = await asking(
      keys.map((key) => ({ kind: 'callback', choices: ['result', 'skip', 'abort'], key })),
      runId,
    );
    for (const [output, key] of keys.entries()) {
      await stores.openCallback(key, 'hash');
      await stores.keepPosted(key, { ok: true, output, postedAt: 1 });
    }
    return run;
  }

  it('gives each result once, whoever comes at the same moment', async () => {
    const { runId, now } = await posted();
    const seen = await now();
    await Promise.all([1, 2, 3].map(() => stores.deliverCallbacks(runId, seen)));
    expect((await now()).answers.map(({ answers }) => answers)).toEqual([
      [{ index: 0, decision: 'result', output: 0 }],
      [{ index: 1, decision: 'result', output: 1 }],
    ]);
  });

  it('leaves a question to whoever was first, and answers the others', async () => {
    const { runId, now } = await posted();
    const seen = await now();
    await stores.recordAnswer(runId, 3, { by: 'Ann', via: 'API' }, async () => [{ index: 0, decision: 'skip' }]);
    await stores.deliverCallbacks(runId, seen);
    expect((await now()).standing.map(({ settled }) => settled?.answer.decision)).toEqual(['skip', 'result']);
  });

  it('gives nothing to a run that is being cancelled, and that is no fault of who posted', async () => {
    const { runId, now } = await posted();
    await stores.requestCancel(runId, 'Ann');
    await stores.deliverCallbacks(runId, await now());
    expect((await now()).answers).toEqual([]);
  });
});

describe('setWaiting()', () => {
  it('does not show a run as waiting that has gone on', async () => {
    const { runId, now } = await asking([{ kind: 'approval', choices: ['approve', 'deny'] }]);
    const [meta, { ask }] = [await stores.mustRead(runId), await now()];
    await stores.setWaiting(meta, ask);
    expect(await stores.readMeta(runId)).toMatchObject({ status: 'waiting', waiting: { seq: 3 } });
    await stores.beginStep({ runId, segment: 1, step: 'tools:4', now: Date.now(), log: await stores.readLog(runId) });
    await stores.setWaiting(meta, ask);
    expect(await stores.readMeta(runId)).toMatchObject({ status: 'running', reason: 'running tools' });
  });
});

describe('readAsk()', () => {
  it('reads all that was said, however many spoke', async () => {
    const { runId, now } = await asking(Array.from({ length: 31 }, () => ({ kind: 'approval', choices: ['approve'], needs: 20 })));
    const votes = Array.from({ length: 31 * 20 - 1 }, (_, i) => ({ index: i % 31, by: `person ${Math.floor(i / 31)}` }));
    for (const [i, { index, by }] of votes.entries())
      await stores.appendAt(runId, 4 + i, { type: 'answer', ask: 3, by, via: 'API', answers: [{ index, decision: 'approve' }] });
    expect(await now()).toMatchObject({ open: true });
    await stores.recordAnswer(runId, 3, { by: 'person 19', via: 'API' }, async () => [{ index: 30, decision: 'approve' }]);
    expect(await now()).toMatchObject({ open: false });
  });
});

describe('recordAnswer()', () => {
  it('judges an answer anew when another came between, and takes nothing that is not right any more', async () => {
    const { runId, now } = await asking([1, 2].map(() => ({ kind: 'approval', choices: ['approve', 'deny'] })));
    const judgements: number[] = [];
    const judged = async () => {
      judgements.push((await now()).answers.length);
      if (judgements.length > 1) throw new ProblemError(400, 'Invalid arguments', 'They are those of call 1 by now');
      await stores.recordAnswer(runId, 3, { by: 'Bob', via: 'API' }, async () => [{ index: 1, decision: 'approve' }]);
      return [{ index: 0, decision: 'approve' as const }];
    };
    await expect(stores.recordAnswer(runId, 3, { by: 'Ann', via: 'API' }, judged)).rejects.toThrow('those of call 1');
    expect(judgements).toEqual([0, 1]);
    expect((await now()).answers.map(({ by }) => by)).toEqual(['Bob']);
  });
});

describe('POST /asks/{id}/answer', () => {
  const answer = async (runId: string, body: object) => {
    const event = { routeKey: 'POST /asks/{id}/answer', pathParameters: { id: `${runId}-3` }, body: JSON.stringify(body) };
    const { statusCode, body: said } = await stores.handler(event);
    return { status: statusCode, ...(JSON.parse(said) as { field?: string }) };
  };

  it('takes no yes without a name where several people are needed, and counts nobody twice', async () => {
    const { runId, now } = await asking([{ kind: 'approval', choices: ['approve', 'deny'], needs: 2 }]);
    expect(await answer(runId, { decision: 'approve' })).toMatchObject({ status: 400, field: 'by' });
    expect(await answer(runId, { by: 'Ann', decision: 'approve' })).toMatchObject({ status: 200 });
    expect(await answer(runId, { by: ' Ann ', decision: 'deny' })).toMatchObject({ status: 409 });
    expect(await answer(runId, { decision: 'approve' })).toMatchObject({ status: 400, field: 'by' });
    expect(await now()).toMatchObject({ open: true });
  });
});

describe('open asks, however many', () => {
  const question: Omit<Question, 'index' | 'text'> = { kind: 'approval', choices: ['approve', 'deny'] };
  const many: string[] = [];
  beforeAll(async () => {
    for (let i = 0; i < 55; i++) {
      const { runId, now } = await asking([question]);
      await stores.setWaiting(aMeta({ runId }), (await now()).ask);
      many.push(runId);
    }
  });

  it('are each on one page of the inbox', async () => {
    const seen: string[] = [];
    for (let before: string | undefined, first = true; first || before; first = false) {
      const event = { routeKey: 'GET /inbox', ...(before ? { queryStringParameters: { before } } : {}) };
      const { body } = await stores.pages(event);
      seen.push(...[...body.matchAll(/href="\/inbox\/(\w{26})-3"/g)].map(([, id]) => id as string));
      expect(body.includes('href="/inbox"')).toBe(!first);
      before = /href="\/inbox\?before=(\w{26})"/.exec(body)?.[1];
    }
    expect(seen).toEqual([...new Set(seen)]);
    expect(seen.filter((id) => many.includes(id))).toEqual(many.toReversed());
  });

  it('are each on one page of the list', async () => {
    const seen: string[] = [];
    for (let before: string | undefined, first = true; first || before; first = false) {
      const queryStringParameters = { limit: '20', ...(before ? { before } : {}) };
      const { body } = await stores.list({ routeKey: 'GET /asks', queryStringParameters });
      const page = JSON.parse(body) as { asks: { runId: string }[]; next?: string };
      seen.push(...page.asks.map(({ runId }) => runId));
      before = page.next;
    }
    expect(seen.filter((id) => many.includes(id))).toEqual(many.toReversed());
    const { statusCode, body } = await stores.list({ routeKey: 'GET /asks', queryStringParameters: { before: 'x' } });
    expect([statusCode, JSON.parse(body)]).toEqual([400, expect.objectContaining({ field: 'before' })]);
  });
});

describe('GET /inbox', () => {
  it('shows the asks that can be read when another cannot', async () => {
    const question: Omit<Question, 'index' | 'text'> = { kind: 'approval', choices: ['approve', 'deny'] };
    const [good, bad] = [await asking([question]), await asking([question])];
    for (const { runId, now } of [good, bad]) await stores.setWaiting(aMeta({ runId }), (await now()).ask);
    const ask = { pk: runKey(bad.runId), sk: recordKey(3) };
    await stores.updateIf(ask, 'SET v = :v', { expression: 'attribute_exists(pk)', values: { ':v': 99 } });
    const { statusCode, body } = await stores.pages({ routeKey: 'GET /inbox' });
    expect(statusCode).toBe(200);
    expect(body).toContain(`/inbox/${good.runId}-3`);
    expect(body).not.toContain(bad.runId);
  });
});
