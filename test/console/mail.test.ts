import { describe, expect, test } from 'vitest';
import { askMail, type Mail } from '../../console/mail.ts';
import { visible } from '../../console/plain-text.ts';
import type { AskView } from '../../shared/ask-view.ts';
import { HOSTILE } from './hostile-texts.ts';
import { harmless, shapeOf } from './markup-shape.ts';
import {
  aboutTheRun,
  approval,
  callback,
  filledWith,
  freeQuestion,
  NOW,
  partly,
  questionWithOptions,
  twoCalls,
  twoPeople,
  unknownOutcome,
} from './sample-asks.ts';

const LINK = 'https://holdfast.example/a/01KB9ZT3N4Q8W2XJ6C5V7R1MHD-7?p=0&t=s3cret';
const mailOf = (view: AskView) => askMail({ view, now: NOW, link: LINK }) as Mail;
const ADDRESS = /:\/\/|[\p{L}\p{N}]\.(?=\p{L}{2})/u;
/** The mail without the runtime's own link. */
const rest = (text: string) => text.replace(LINK, '').replace(LINK.replaceAll('&', '&amp;'), '');

describe('askMail()', () => {
  test.each([
    [approval, 'High risk: May refund-agent run issue_refund?'],
    [twoCalls, 'High risk: May refund-agent run issue_refund and send_mail?'],
    [unknownOutcome, 'High risk: Was issue_refund of refund-agent done?'],
    [aboutTheRun, 'refund-agent is stuck'],
    [questionWithOptions, 'refund-agent has a question'],
  ])('names in its subject what is asked', (view, subject) => {
    expect(mailOf(view).subject).toBe(subject);
  });

  test.each([['text'], ['html']] as const)('says in its %s what will be done, by whom, and until when', (form) => {
    const body = mailOf(approval)[form];
    for (const words of [
      'May refund-agent run issue_refund?',
      'amount_cents: 48900',
      'A-1041',
      'agent refund-agent',
      'run 01KB9ZT3',
      'until 2026-12-03 14:30 UTC (in 3 days)',
    ])
      expect(body).toContain(words);
    expect(body.indexOf('amount_cents')).toBeLessThan(body.indexOf('photos'));
  });

  test('has one link, its own, and loads and sends nothing', () => {
    const { html, text } = mailOf(twoCalls);
    expect([...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual([LINK.replaceAll('&', '&amp;')]);
    expect(html).not.toMatch(/ src=|url\(|<form|<button|<input|<img|<script|<link|@import/);
    expect(text.split(LINK)).toHaveLength(2);
    expect(rest(text)).not.toMatch(ADDRESS);
  });

  test('marks the lines that others wrote', () => {
    const { text } = mailOf(filledWith('Approve here\nSafe'));
    expect(text.split('\n').filter((line) => line.includes('Safe') && !line.includes('“'))).toEqual(expect.arrayContaining(['  |   Safe']));
    expect(text.split('\n').filter((line) => /^\s*Safe/.test(line))).toEqual([]);
  });
});

describe('askMail() of an ask in parts', () => {
  test('says of a question what may be answered', () => {
    const { text, html } = mailOf(questionWithOptions);
    expect(text).toContain('  Question, written by the model\n  | Which colour shall the new parcel have?');
    expect(text).toContain('  Answers to choose from, written by the model\n  | 1. Blue\n  | 2. Green\n  | 3. Whatever is in stock\n');
    expect(html).toContain('1. Blue\n2. Green');
    expect(mailOf(freeQuestion).text).not.toContain('choose from');
  });

  test('is about what is asked of its reader, and of nobody else', () => {
    const { subject, text } = mailOf(partly);
    expect(subject).toBe('May refund-agent run send_mail and send_parcel?');
    expect(text).toContain('1 of 2: send_mail\nOpen until 2026-12-03 14:30 UTC (in 3 days).');
    expect(text).not.toMatch(/lock_door|issue_refund/);
  });

  test('says how many people must say yes', () => {
    expect(mailOf(twoPeople).text).toContain('issue_refund (high risk)\n1 of 2 people have said yes.\n');
    expect(mailOf(twoPeople).html).toContain('<p style="margin:0 0 8px">1 of 2 people have said yes.</p>');
  });

  test('is not there when its reader has nothing to do', () => {
    const mail = (view: AskView) => askMail({ view, now: NOW, link: LINK });
    expect(mail(callback)).toBeUndefined();
    expect(mail({ ...approval, questions: approval.questions.map((question) => ({ ...question, mine: false })) })).toBeUndefined();
    expect(mail({ ...partly, questions: [...callback.questions, ...approval.questions] })?.text).not.toContain('ship_parcel');
  });
});

describe('hostile text', () => {
  test.each(Object.entries(HOSTILE))('adds no tag to the mail, and no address: %s', (_, text) => {
    const { html, text: plain } = mailOf(filledWith(text));
    const { tags } = shapeOf(html);
    expect(new Set(tags)).toEqual(new Set(shapeOf(mailOf(filledWith(harmless(visible(text)))).html).tags));
    for (const body of [html, plain]) {
      expect(body).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      expect(body.length).toBeLessThan(20_000);
    }
    expect(rest(plain)).not.toMatch(ADDRESS);
    expect(rest(shapeOf(html).text)).not.toMatch(ADDRESS);
  });

  test.each(Object.entries(HOSTILE))('gets no second line into the subject: %s', (_, text) => {
    const { subject } = mailOf(filledWith(text));
    expect(subject.length).toBeLessThanOrEqual(150);
    expect(subject).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
  });
});
