import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTables } from '../../support/tables.ts';

let tables: Awaited<ReturnType<typeof openTables>>;
let store: typeof import('../../../lambdas/lib/notice-store.ts');
beforeAll(async () => {
  tables = await openTables();
  store = await import('../../../lambdas/lib/notice-store.ts');
});
afterAll(() => tables?.close());

const runId = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const made = (seq: number, recipient: string) => ({ runId, seq, recipient, hash: `hash of ${recipient}`, issue: 1, expiresAt: 1 });

describe('keepNotice()', () => {
  it('gives every recipient one place, whoever comes at the same moment', async () => {
    const recipients = ['a', 'b', 'c', 'd', 'e', 'f'];
    const kept = await Promise.all([...recipients, ...recipients].map((recipient) => store.keepNotice(made(1, recipient))));
    const stored = await store.readNotices(runId, 1);
    expect(stored.map(({ place }) => place)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(stored.map(({ recipient }) => recipient).toSorted()).toEqual(recipients);
    for (const notice of kept) expect(stored).toContainEqual(notice);
  });

  it('keeps the one that is there', async () => {
    const first = await store.keepNotice(made(2, 'a'));
    await store.noteSent(first, 7);
    expect(await store.keepNotice({ ...made(2, 'a'), hash: 'another', expiresAt: 2 })).toMatchObject({
      hash: 'hash of a',
      expiresAt: 1,
      sentAt: 7,
    });
  });
});

describe('setLink()', () => {
  it('lets one of two that come at the same moment win, and retires the link before', async () => {
    const notice = await store.keepNotice(made(3, 'a'));
    const won = await Promise.all(['b', 'c'].map((hash) => store.setLink(notice, { hash, issue: 2, expiresAt: 2 })));
    const now = await store.readNotice(notice);
    expect(won.filter((each) => each !== undefined)).toEqual([now]);
    expect(now).toMatchObject({ retired: ['hash of a'], issue: 2 });
  });
});

describe('noteRevoked()', () => {
  it('keeps who came first, and ends the tries', async () => {
    const notice = await store.keepNotice(made(4, 'a'));
    expect(notice.nextTryAt).toBe(0);
    expect(await store.noteRevoked(notice, { by: 'kim', at: 1 })).toMatchObject({ revoked: { by: 'kim', at: 1 } });
    expect(await store.noteRevoked(notice, { by: 'lee', at: 2 })).toBeUndefined();
    expect(await store.readNotice(notice)).toMatchObject({ revoked: { by: 'kim', at: 1 } });
    expect((await store.readNotice(notice))?.nextTryAt).toBeUndefined();
  });
});
