import { describe, expect, test } from 'vitest';
import { inboxPage } from '../../console/inbox-page.ts';
import { linkFaultPage } from '../../console/link-page.ts';
import { askMail, type Mail } from '../../console/mail.ts';
import { messagePage } from '../../console/message-page.ts';
import { outboxPage } from '../../console/outbox-page.ts';
import { HOSTILE } from './hostile-texts.ts';
import { shapeOf } from './markup-shape.ts';
import { aboutTheRun, answered, approval, callback, filledWith, NOW, overdue, partly, twoCalls, twoPeople } from './sample-asks.ts';

const inbox = (...asks: Parameters<typeof inboxPage>[0]['asks']) => inboxPage({ asks, now: NOW, href: (id) => `/inbox/${id}?a=1&b=2` });
const mailWith = (text: string) => ({ id: '1', to: text, subject: text, at: NOW, text, html: text });

describe('inboxPage()', () => {
  test('lists the open asks with their links, and only those', () => {
    const page = inbox(twoCalls, aboutTheRun, answered, overdue);
    expect(page).toContain('2 asks wait for an answer.');
    expect([...page.matchAll(/<a href="([^"]*)"/g)].map(([, href]) => href)).toEqual(
      Array.from({ length: 2 }, () => `/inbox/${approval.id}?a=1&amp;b=2`),
    );
    expect(page).toContain('issue_refund(order_id: A-1041, amount_cents: 48900');
  });

  test('says how much of each ask is open, and who is waited for', () => {
    const { text } = shapeOf(inbox(twoPeople, partly, callback));
    expect(text).toContain('1 question is open and waits for pat@example.com or finance@example.com.');
    expect(text).toContain('3 of 4 questions are open: waits for anybody who may answer; for finance@example.com.');
    expect(text).toContain('1 question is open and waits for the result from outside.');
  });

  test('says that there are more, and leads to them and back', () => {
    const middle = { asks: [approval], now: NOW, href: () => '/x', older: '/inbox?before=b', newest: '/inbox' };
    const { text } = shapeOf(inboxPage(middle));
    expect(text).toContain('1 ask waits on this page for an answer.');
    expect(text).toMatch(/Newest asks\s+Older asks/);
    expect(inboxPage(middle)).toContain('<a href="/inbox?before=b">Older asks</a>');
    expect(inboxPage({ ...middle, asks: [] })).toContain('Nothing on this page waits for an answer.');
    expect(inbox(approval)).not.toMatch(/<nav|on this page/);
  });

  test('says when nothing waits', () => {
    expect(inbox()).toContain('Nothing waits for an answer.');
  });

  test.each(Object.entries(HOSTILE))('shows hostile text as text: %s', (_, text) => {
    const page = inbox(filledWith(text));
    expect(shapeOf(page).tags.filter((tag) => tag.startsWith('<a '))).toHaveLength(1);
    expect(page.length).toBeLessThan(20_000);
  });
});

describe('outboxPage()', () => {
  test.each(Object.entries(HOSTILE))('keeps a hostile mail in its frame: %s', (_, text) => {
    const { tags } = shapeOf(outboxPage({ mails: [mailWith(text)] }));
    expect(tags.filter((tag) => tag.startsWith('<iframe'))).toEqual(
      text === '' ? [] : ['<iframe title="Mail 1" sandbox="allow-popups allow-popups-to-escape-sandbox" srcdoc>'],
    );
    expect(tags.filter((tag) => /^<(a|img|script|form|base)\b/.test(tag))).toEqual([]);
  });

  test('shows a mail in both its forms', () => {
    const mail = askMail({ view: approval, now: NOW, link: 'http://localhost/a/1' }) as Mail;
    const page = outboxPage({ mails: [{ id: '1', to: 'pat@example.com', at: NOW, ...mail }] });
    expect(page).toContain('srcdoc="&lt;!doctype html&gt;');
    expect(page).toContain('  | amount_cents: 48900');
    expect(outboxPage({ mails: [] })).toContain('No mail yet.');
  });
});

test.each(['unknown', 'tampered', 'expired', 'revoked', 'other-recipient'] as const)(
  'linkFaultPage() says why a link that is %s shows nothing',
  (fault) => {
    const page = linkFaultPage(fault);
    expect(shapeOf(page).text).toContain('Nothing was decided by opening it.');
    expect(page).not.toMatch(/<form|<button/);
  },
);

test('messagePage() shows its text as text', () => {
  expect(messagePage('A <b>', 'c & d')).toContain('<h1>A &lt;b&gt;</h1>\n<p>c &amp; d</p>');
});
