import { describe, expect, test } from 'vitest';
import { askPage } from '../../console/ask-page.ts';
import { visible } from '../../console/plain-text.ts';
import type { AskView } from '../../shared/ask-view.ts';
import { HOSTILE } from './hostile-texts.ts';
import { harmless, shapeOf } from './markup-shape.ts';
import { aboutTheRun, answered, approval, closed, escalation, expired, filledWith, NOW, statesWith, twoCalls } from './sample-asks.ts';

const pageOf = (view: AskView, notice?: string) =>
  askPage({ view, now: NOW, action: '/a/1', fields: { nonce: 'n-1', t: 'secret' }, ...(notice === undefined ? {} : { notice }) });
const textOf = (view: AskView) => shapeOf(pageOf(view)).text.replace(/\s+/g, ' ');
const tagsOf = (view: AskView, pattern: RegExp) => [...pageOf(view).matchAll(pattern)].map(([tag]) => tag);

describe('askPage()', () => {
  test('says first what is asked, by whom and until when', () => {
    const text = textOf(approval);
    const order = [
      'May refund-agent run issue_refund?',
      'agent refund-agent, run 01KB9ZT3',
      'until 2026-12-03 14:30 UTC (in 3 days)',
      'High risk',
      'amount_ cents 48900',
      'Your decision',
      'What the run did before',
    ];
    expect(order.map((words) => text.indexOf(words))).toEqual(order.map((words) => text.indexOf(words)).toSorted((a, b) => a - b));
    for (const words of order) expect(text).toContain(words);
  });

  test('shows the short arguments before the long ones, and the raw JSON of all', () => {
    const reason = HOSTILE['blank lines and a forged form'] as string;
    const [question] = approval.questions as [AskView['questions'][number]];
    const view = { ...approval, questions: [{ ...question, input: { reason, amount_cents: 2_000_000 } }] };
    const page = pageOf(view);
    expect(page.indexOf('2000000')).toBeLessThan(page.indexOf('characters are shown.'));
    expect(page.match(/safe to approve/g)).toHaveLength(2);
    expect(page).toContain('Show the full text');
    expect(page).toContain('Raw JSON of all arguments');
  });

  test('asks for a decision on each call, with nothing chosen beforehand', () => {
    const radios = tagsOf(twoCalls, /<input type="radio"[^>]*>/g);
    expect(radios.map((tag) => /name="([^"]*)" value="([^"]*)"/.exec(tag)?.slice(1))).toEqual([
      ['decision.0', 'approve'],
      ['decision.0', 'deny'],
      ['decision.2', 'approve'],
      ['decision.2', 'deny'],
    ]);
    expect(radios.every((tag) => tag.includes(' required') && !tag.includes('checked'))).toBe(true);
    expect(tagsOf(twoCalls, /<button[^>]*>[^<]*/g)).toEqual(['<button type="submit">Send answer']);
    expect(tagsOf(aboutTheRun, /name="decision[^"]*"/g)[0]).toBe('name="decision.run"');
  });

  test('asks for an output only where a person may vouch for one', () => {
    expect(tagsOf(escalation, /<textarea[^>]*name="output[^"]*"/g)).toHaveLength(1);
    expect(tagsOf(approval, /<textarea[^>]*name="output[^"]*"/g)).toEqual([]);
  });

  test("never offers the clock's word", () => {
    const [question] = approval.questions;
    const view = { ...approval, questions: [{ ...(question as NonNullable<typeof question>), choices: ['approve', 'expired'] as const }] };
    expect(tagsOf(view, /value="expired"/g)).toEqual([]);
  });

  test('sends the hidden fields along', () => {
    expect(pageOf(approval)).toContain('<input type="hidden" name="nonce" value="n-1">');
    expect(pageOf(approval)).toContain('<form method="post" action="/a/1"');
  });

  test.each([
    [
      'answered',
      answered,
      ['Answered by pat@example.com on 2026-11-30 09:20 UTC', 'issue_refund: Approve', 'send_mail: Deny', 'Checked with the warehouse.'],
    ],
    ['expired', expired, ['Expired on 2026-11-30 09:20 UTC', 'that is not a yes']],
    ['closed', closed, ['Closed: the run is cancelled', 'Cancelled by pat']],
    ['overdue', { ...approval, expiresAt: NOW }, ['Expired on 2026-11-30 09:30 UTC']],
  ] as [string, AskView, string[]][])('shows what became of an ask that is %s, and no form', (_, view, words) => {
    for (const each of words) expect(textOf(view)).toContain(each);
    expect(pageOf(view)).not.toMatch(/<form|<button|<input|<textarea/);
    expect(textOf(view)).toContain('48900');
  });

  test('says what became of the form just sent', () => {
    expect(pageOf(approval, 'Nothing <b> was decided.')).toContain('<p class="fault" role="alert">Nothing &lt;b&gt; was decided.</p>');
  });

  test('shows every argument of a call with many, or says how many are left out', () => {
    const [question] = approval.questions as [AskView['questions'][number]];
    const input = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`key_${i}`, i]));
    const page = pageOf({ ...approval, questions: [{ ...question, input }] });
    expect(page).toContain('Cut: 40 of 300 arguments are shown; the raw JSON has all.');
    expect(page).toContain('key_299');
  });
});

describe('hostile text', () => {
  const cases = Object.entries(HOSTILE).flatMap(([name, text]) =>
    statesWith(text).map((state) => [`${name}, ${state.is}`, text, state] as const),
  );

  test.each(cases)('adds no tag and no attribute to the page: %s', (_, text, state) => {
    const calm = harmless(visible(text));
    const calmState = JSON.parse(JSON.stringify(state).replaceAll(JSON.stringify(text), () => JSON.stringify(calm)));
    const { tags } = shapeOf(pageOf(filledWith(text, state)));
    const { tags: wanted } = shapeOf(pageOf(filledWith(calm, calmState)));
    expect(new Set(tags)).toEqual(new Set(wanted));
    expect(tags.filter((tag) => /^<(a|img|script|iframe|link|base|object|embed|svg)\b/.test(tag))).toEqual([]);
  });

  test.each(Object.entries(HOSTILE))('leaves no unseen character in the page: %s', (_, text) => {
    expect(pageOf(filledWith(text))).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
  });

  test.each(Object.entries(HOSTILE))('is there in full, and in a page of bounded size: %s', (_, text) => {
    const page = pageOf(filledWith(text));
    expect(page.length).toBeLessThan(30_000 + 40 * visible(text).length);
    expect(JSON.parse(unescaped(/Raw JSON of all arguments<\/summary><pre><code>([^<]*)<\/code>/.exec(page)?.[1] as string))).toEqual(
      filledWith(text).questions[0]?.input,
    );
  });
});

const unescaped = (text: string) =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
