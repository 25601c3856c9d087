import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Notice } from '../../lambdas/lib/notice-store.ts';
import type { Meta } from '../../shared/meta.ts';
import { asking, calling, guarded, logOf, RUN_ID, task } from '../support/log-builder.ts';
import { aMeta } from '../support/meta.ts';
import { openTables } from '../support/tables.ts';

let tables: Awaited<ReturnType<typeof openTables>>;
let handler: typeof import('../../lambdas/mail-event.ts')['handler'];
let store: typeof import('../../lambdas/lib/notice-store.ts');
let logs: typeof import('../../lambdas/lib/log-store.ts');
let metas: typeof import('../../lambdas/lib/meta-store.ts');
beforeAll(async () => {
  tables = await openTables();
  ({ handler } = await import('../../lambdas/mail-event.ts'));
  store = await import('../../lambdas/lib/notice-store.ts');
  logs = await import('../../lambdas/lib/log-store.ts');
  metas = await import('../../lambdas/lib/meta-store.ts');
});
afterAll(() => tables?.close());

let runs = 0;
/** A run that waits, whose ask was mailed to these. */
async function asked(...recipients: string[]): Promise<{ runId: string; notices: Notice[] }> {
  const runId = `${RUN_ID.slice(0, -4)}${String(++runs).padStart(4, '0')}`;
  await metas.createMeta(aMeta({ runId, status: 'waiting', waiting: { seq: 3, kind: 'approval' } }));
  for (const { v: _, seq, at: __, ...draft } of logOf(task(), calling(guarded()), asking({}))) await logs.appendAt(runId, seq, draft);
  const notices = [];
  for (const recipient of recipients) {
    const notice = await store.keepNotice({ runId, seq: 3, recipient, hash: recipient, issue: 1, expiresAt: 1 });
    notices.push((await store.noteSent(notice, 5)) ?? notice);
  }
  return { runId, notices };
}

/** The event of a mail, as SES publishes it; the fields that nobody reads are as in its documentation. */
const eventOf = (detailType: string, { runId, place }: { runId: string; place: number }, detail: object) => ({
  version: '0',
  id: '4f0c7f8a-0000-4000-8000-000000000000',
  'detail-type': detailType,
  source: 'aws.ses',
  account: '111122223333',
  time: '2026-11-30T09:30:00Z',
  region: 'us-east-1',
  resources: ['arn:aws:ses:us-east-1:111122223333:configuration-set/mails'],
  detail: {
    ...detail,
    mail: {
      timestamp: '2026-11-30T09:29:58.000Z',
      messageId: 'EXAMPLE7c191be45-e9aedb9a-02f9-4d12-a87d-dd0099a07f8a-000000',
      destination: ['ada@example.test'],
      tags: { 'ses:configuration-set': ['mails'], ask: [`${runId}-3`], place: [String(place)] },
    },
  },
});

const bounce = {
  eventType: 'Bounce',
  bounce: {
    bounceType: 'Permanent',
    bounceSubType: 'General',
    bouncedRecipients: [
      { emailAddress: 'ada@example.test', action: 'failed', status: '5.1.1', diagnosticCode: 'smtp; 550 5.1.1 user unknown' },
    ],
    timestamp: '2026-11-30T09:30:00.000Z',
    feedbackId: '01000157c44f053b-61b59c11-9236-11e6-8f96-7be8aexample-000000',
  },
};

const reasonOf = async (runId: string): Promise<Meta['reason'] | undefined> => (await metas.readMeta(runId))?.reason;

describe('mail-event', () => {
  it.each([
    ['Email Bounced', bounce, 'bounced: Permanent, General: smtp; 550 5.1.1 user unknown'],
    ['Email Bounced', { eventType: 'Bounce', bounce: { bounceType: 'Permanent', bouncedRecipients: [] } }, 'bounced: Permanent'],
    [
      'Email Complaint Received',
      { eventType: 'Complaint', complaint: { complaintFeedbackType: 'abuse' } },
      'complaint: the recipient reported the mail as abuse',
    ],
    ['Email Complaint Received', { eventType: 'Complaint', complaint: {} }, 'complaint: the recipient reported the mail'],
    ['Email Rejected', { eventType: 'Reject', reject: { reason: 'Bad content' } }, 'rejected: Bad content'],
  ])('notes %s on the notice, and on the run when it was the only one', async (type, detail, why) => {
    const { runId, notices } = await asked('ada@example.test');
    await handler(eventOf(type, { runId, place: 0 }, detail));
    const notice = await store.readNotice(notices[0] as Notice);
    expect(store.noticeSummaryOf(notice as Notice)).toEqual({ recipient: 'ada@example.test', state: 'failed', error: why });
    expect(await reasonOf(runId)).toBe(`approval: test; nobody could be written to: ${why}`);
  });

  it('leaves the reason alone while somebody else was reached', async () => {
    const { runId, notices } = await asked('ada@example.test', 'bob@example.test');
    await handler(eventOf('Email Bounced', { runId, place: 1 }, bounce));
    expect(await Promise.all(notices.map((notice) => store.readNotice(notice)))).toMatchObject([{ sentAt: 5 }, { returned: true }]);
    expect(await reasonOf(runId)).toBe('started');
    await handler(eventOf('Email Bounced', { runId, place: 0 }, bounce));
    expect(await reasonOf(runId)).toMatch(/nobody could be written to/);
  });

  it('holds when it comes before the sender has noted that the mail went out, and until it is sent again', async () => {
    const { runId } = await asked();
    const notice = await store.keepNotice({ runId, seq: 3, recipient: 'ada@example.test', hash: 'a', issue: 1, expiresAt: 1 });
    await handler(eventOf('Email Bounced', { runId, place: 0 }, bounce));
    await store.noteSent(notice, 7);
    expect(await store.readNotice(notice)).toMatchObject({ returned: true, error: expect.stringContaining('bounced') });
    expect((await store.readNotice(notice))?.sentAt).toBeUndefined();
    await store.noteAgain(notice, { by: 'kim', at: 8 }, 9);
    await store.noteSent(notice, 9);
    expect(store.noticeSummaryOf((await store.readNotice(notice)) as Notice)).toMatchObject({ state: 'sent', sentAt: 9 });
  });

  it.each([
    ['of another program', { 'ses:configuration-set': ['mails'] }],
    ['with a place that is none', { ask: ['01ARZ3NDEKTSV4RRFFQ69G5FAV-3'], place: ['x'] }],
    ['about an ask that is gone', { ask: ['01ARZ3NDEKTSV4RRFFQ69G5FAV-3'], place: ['0'] }],
  ])('passes over a mail %s', async (_, tags) => {
    const event = eventOf('Email Bounced', { runId: '', place: 0 }, bounce);
    await expect(handler({ ...event, detail: { ...event.detail, mail: { tags } } })).resolves.toBeUndefined();
    expect(await store.readNotices('01ARZ3NDEKTSV4RRFFQ69G5FAV', 3)).toEqual([]);
  });
});
