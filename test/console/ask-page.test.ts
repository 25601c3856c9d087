import { describe, expect, test } from 'vitest';
import { type AskPage, askPage } from '../../console/ask-page.ts';
import { visible } from '../../console/plain-text.ts';
import type { AskView } from '../../shared/ask-view.ts';
import { HOSTILE } from './hostile-texts.ts';
import { harmless, shapeOf } from './markup-shape.ts';
import {
  aboutTheRun,
  alreadySaid,
  answered,
  approval,
  budgetReached,
  callback,
  closed,
  edited,
  escalation,
  expired,
  filledWith,
  freeQuestion,
  NOW,
  overdue,
  partly,
  questionWithOptions,
  statesWith,
  twoCalls,
  twoPeople,
  unknownOutcome,
} from './sample-asks.ts';

const pageOf = (view: AskView, more: Partial<AskPage> = {}) =>
  askPage({ view, now: NOW, action: '/a/1', fields: { nonce: 'n-1', t: 'secret' }, ...more });
const textOf = (view: AskView, more?: Partial<AskPage>) => shapeOf(pageOf(view, more)).text.replace(/\s+/g, ' ');
const tagsOf = (view: AskView, pattern: RegExp, more?: Partial<AskPage>) => [...pageOf(view, more).matchAll(pattern)].map(([tag]) => tag);
const BUTTON = /<button[^>]*>[^<]*/g;
const RADIO = /<input type="radio"[^>]*>/g;
/** What a text area holds: a browser drops the line break after the tag. */
const fieldOf = (page: string, id: string) =>
  unescaped(new RegExp(`<textarea id="${id}"[^>]*>\\n([^<]*)</textarea>`).exec(page)?.[1] ?? 'no such field');

describe('askPage()', () => {
  test('says which run is started over or branched off, and which goes on in its place', () => {
    const lineage = { runId: 'OLD', root: 'OLD', by: 'Ada' };
    expect(textOf({ ...approval, parent: { ...lineage, kind: 'restart' } })).toContain('starts run OLD over, by Ada');
    expect(textOf({ ...approval, parent: { ...lineage, kind: 'fork', at: 4 } })).toContain(
      'branches off from run OLD after record 4, by Ada',
    );
    expect(textOf({ ...closed, restartedAs: 'NEW' })).toContain('Goes on as run NEW');
    expect(textOf(approval)).not.toContain('Goes on as');
  });

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
    expect(page.match(/safe to approve/g)).toHaveLength(3);
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
    expect(radios.every((tag) => !tag.includes('checked'))).toBe(true);
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
      [
        'Answered on 2026-11-30 09:20 UTC',
        'issue_refund: Approve , pat@example.com',
        'send_mail: Deny , pat@example.com',
        'Checked with the warehouse.',
      ],
    ],
    ['expired', expired, ['Expired on 2026-11-30 09:20 UTC', 'that is not a yes']],
    ['closed', closed, ['Closed: the run is cancelled', 'Cancelled by pat']],
    ['overdue', overdue, ['Expired on 2026-11-30 09:30 UTC']],
  ] as [string, AskView, string[]][])('shows what became of an ask that is %s, and no form', (_, view, words) => {
    for (const each of words) expect(textOf(view)).toContain(each);
    expect(pageOf(view)).not.toMatch(/<form|<button|<input|<textarea/);
    expect(textOf(view)).toContain('48900');
  });

  test('says what became of the form just sent', () => {
    expect(pageOf(approval, { notice: 'Nothing <b> was decided.' })).toContain(
      '<p class="fault" role="alert">Nothing &lt;b&gt; was decided.</p>',
    );
  });

  test('shows every argument of a call with many, or says how many are left out', () => {
    const [question] = approval.questions as [AskView['questions'][number]];
    const input = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`key_${i}`, i]));
    const page = pageOf({ ...approval, questions: [{ ...question, input }] });
    expect(page).toContain('Cut: 40 of 300 arguments are shown; the raw JSON has all.');
    expect(page).toContain('key_299');
  });
});

describe('an ask of several people or in parts', () => {
  test('offers what the one who looks may answer, and shows where the other questions stand', () => {
    expect(new Set(tagsOf(partly, /name="decision[^"]*"/g))).toEqual(new Set(['name="decision.2"', 'name="decision.4"']));
    const text = textOf(partly);
    expect(text).toContain('Settled. Deny : kim@example.com, on 2026-11-30 09:20 UTC, in the inbox');
    expect(text).toContain('Waits for finance@example.com.');
    expect(text.match(/Open until 2026-12-03 14:30 UTC \(in 3 days\)\./g)).toHaveLength(2);
    expect(text).toContain('until 2026-12-01 09:30 UTC (in 1 day)');
  });

  test('insists on a decision where there is one question, and not where some may stay open', () => {
    expect(tagsOf(approval, RADIO).every((tag) => tag.includes(' required'))).toBe(true);
    expect(tagsOf(twoCalls, RADIO).filter((tag) => tag.includes(' required'))).toEqual([]);
    expect(textOf(twoCalls)).toContain('What has no decision stays open.');
  });

  test('has one button for all calls after the one that sends the answer', () => {
    expect(tagsOf(approval, BUTTON)).toEqual(['<button type="submit">Send answer']);
    expect(tagsOf(partly, BUTTON)).toEqual([
      '<button type="submit">Send answer',
      '<button type="submit" name="bulk" value="approve" formnovalidate aria-describedby="bulk-hint">Approve all 2',
      '<button type="submit" name="bulk" value="deny" formnovalidate aria-describedby="bulk-hint">Deny all 2',
    ]);
  });

  test('says to somebody who has nothing to answer why, and shows no form', () => {
    expect(textOf(alreadySaid)).toContain('Nothing to answer now You have said yes; one more person is needed.');
    expect(textOf(alreadySaid)).toContain('1 of 2 people have said yes. Waits for kim@example.com or finance@example.com.');
    expect(pageOf(alreadySaid)).not.toMatch(/<form|<button|<input|<textarea/);
  });

  test('offers no question for which it is too late', () => {
    const late = {
      ...twoCalls,
      questions: twoCalls.questions.map((question, i) => (i === 0 ? { ...question, expiresAt: NOW } : question)),
    };
    expect(new Set(tagsOf(late, /name="decision[^"]*"/g))).toEqual(new Set(['name="decision.2"']));
    expect(textOf(late)).toContain('Time was up on 2026-11-30 09:30 UTC: nobody answered.');
  });

  test('says what the clock said', () => {
    expect(textOf(expired)).toContain('Expired : “the clock”, on 2026-11-30 09:20 UTC, by the clock');
  });
});

describe('the name of who answers', () => {
  const fieldsOf = (view: AskView) => tagsOf(view, /<(?:input type="text"|select)[^>]*>/g, { asksName: true });

  test('is asked only where the page says so, and may be left out', () => {
    expect(pageOf(twoPeople)).not.toContain('Your name');
    expect(fieldsOf(approval)).toEqual(['<input type="text" id="by" name="by" value="" maxlength="100" aria-describedby="by-hint">']);
    expect(textOf(approval, { asksName: true })).toContain('Your name (optional)');
  });

  test('is chosen from those who have not said yes where several must', () => {
    expect(fieldsOf(twoPeople)).toEqual(['<select id="by" name="by" required aria-describedby="by-hint">']);
    expect(tagsOf(twoPeople, /<option[^>]*>/g, { asksName: true })).toEqual([
      '<option value="">',
      '<option value="pat@example.com">',
      '<option value="finance@example.com">',
    ]);
  });

  test('is any name where several must say yes and anybody may', () => {
    const anybody = { ...twoPeople, questions: [{ ...(approval.questions[0] as AskView['questions'][number]), needs: 2 }] };
    expect(fieldsOf(anybody)[0]).toContain(' required');
    const mixed = { ...anybody, questions: [...anybody.questions, ...twoCalls.questions.slice(1)] };
    expect(fieldsOf(mixed)[0]).not.toContain(' required');
  });
});

describe('the arguments', () => {
  test('can be changed where one person decides, beginning with exactly those asked about', () => {
    const page = pageOf(approval);
    expect(JSON.parse(fieldOf(page, 'q0-input'))).toEqual(approval.questions[0]?.input);
    expect(page).toContain('<details class="edit"><summary>Change the arguments</summary>');
    expect(textOf(approval)).toContain('if you change them below, with exactly the changed ones.');
    expect(pageOf(twoPeople)).not.toContain('Change the arguments');
    expect(pageOf(unknownOutcome)).not.toContain('Change the arguments');
  });

  test('that make the form too large to be sent cannot be changed, and the call can still be decided', () => {
    const [question] = approval.questions as [AskView['questions'][number]];
    const page = pageOf({ ...approval, questions: [{ ...question, input: { text: 'é'.repeat(10_000) } }] });
    expect(page).toContain('These arguments are too long to be changed here.');
    expect(page).not.toContain('q0-input');
    expect(page).toContain('value="approve"');
  });

  test('that were changed are shown beside those asked about', () => {
    const text = textOf(edited);
    expect(text).toContain('issue_refund: Approve with changed arguments , pat@example.com');
    expect(text).toContain('amount_ cents Asked about 48900 Changed to 12500');
    expect(text).toContain('note Asked about (not there) Changed to Half of it');
    expect(text).toContain('reason Asked about The parcel arrived broken; the customer sent photos. Changed to (not there)');
    expect(text).not.toContain('order_id Asked about');
  });
});

describe('a question', () => {
  test('comes first, and is answered by one of its options', () => {
    const page = pageOf(questionWithOptions);
    expect(page.indexOf('Which colour')).toBeLessThan(page.indexOf('The call that asks'));
    expect(tagsOf(questionWithOptions, RADIO).map((tag) => /name="([^"]*)" value="([^"]*)"/.exec(tag)?.slice(1))).toEqual([
      ['decision.0', 'result'],
      ['option.0', 'Blue'],
      ['option.0', 'Green'],
      ['option.0', 'Whatever is in stock'],
      ['decision.0', 'skip'],
      ['decision.0', 'abort'],
    ]);
    expect(page).not.toMatch(/ checked| required|q0-output/);
    expect(textOf(questionWithOptions)).toContain('Decline The agent goes on without an answer');
  });

  test('without options has a field right below its choice', () => {
    const order = ['q0-result"', 'q0-output"', 'q0-skip"', 'q0-abort"'].map((id) => pageOf(freeQuestion).indexOf(`id="${id}`));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(order[0]).toBeGreaterThan(0);
    expect(pageOf(freeQuestion)).not.toMatch(/ required|option\.0/);
  });
});

test('a limit that is reached is raised by an amount, finished up at, or stopped at', () => {
  const text = textOf(budgetReached);
  expect(text).toContain('refund-agent has reached its limit of cost');
  expect(text).toContain('By how many US dollars Counts with “Raise the limit”. From $0.01 to $5.');
  expect(text).toContain('Finish up The agent gets one last turn, without tools');
  expect(pageOf(budgetReached)).toContain('name="amount.run" value="0.5"');
  const said = { by: 'pat', via: 'inbox', at: NOW, decision: 'raise', amount: 1.5 } as const;
  const questions = budgetReached.questions.map((question) => ({ ...question, said: [said], settled: true, mine: false }));
  expect(textOf({ ...budgetReached, questions, state: { is: 'answered', at: NOW } })).toContain('Raise the limit by $1.5 , pat');
});

test('a result that is awaited from outside may be given by hand', () => {
  const text = textOf(callback);
  expect(text).toContain('The result is awaited from outside: nothing needs to be done here unless it does not come.');
  expect(text).toContain('It may be given by hand.');
  expect(text).toContain('Give the result The agent gets what you write as the output. The result from outside is not waited for.');
  expect(tagsOf(callback, /name="output[^"]*"/g)).toEqual(['name="output.0"']);
});

describe('a form that was refused', () => {
  const sentBy = (...fields: [string, string][]) => new URLSearchParams(fields).toString();

  test('is filled again with what was sent', () => {
    const input = '\n{ "amount_cents": </textarea>\u200F';
    const sent = sentBy(
      ['decision.0', 'deny'],
      ['input.0', input],
      ['comment', '\nNo <b> &amp; "\u202E'],
      ['by', '"><b>'],
      ['decision.2', 'x'],
    );
    const page = pageOf(twoCalls, { sent, asksName: true });
    expect(fieldOf(page, 'q0-input')).toBe(input);
    expect(fieldOf(page, 'comment')).toBe('\nNo <b> &amp; "\u202E');
    expect(page).toContain('<details class="edit" open>');
    expect(page).toContain('name="by" value="&quot;&gt;&lt;b&gt;"');
    expect(tagsOf(twoCalls, RADIO, { sent }).filter((tag) => tag.includes(' checked'))).toEqual([
      '<input type="radio" id="q0-deny" name="decision.0" value="deny" checked aria-describedby="q0-deny-means">',
    ]);
    expect(page.match(/<details class="edit" open>/g)).toHaveLength(1);
    expect(() => shapeOf(page)).not.toThrow();
  });

  test('is filled again with outputs, options and names', () => {
    expect(fieldOf(pageOf(escalation, { sent: sentBy(['output.1', '{"a": 1']) }), 'q0-output')).toBe('{"a": 1');
    expect(fieldOf(pageOf(freeQuestion, { sent: sentBy(['output.0', 'Tell her\r\nso']) }), 'q0-output')).toBe('Tell her\nso');
    expect(pageOf(questionWithOptions, { sent: sentBy(['option.0', 'Green']) })).toContain('value="Green" checked');
    expect(pageOf(twoPeople, { asksName: true, sent: sentBy(['by', 'pat@example.com']) })).toContain('value="pat@example.com" selected');
  });

  test('chooses nothing that was sent twice', () => {
    expect(tagsOf(approval, /<[^>]* checked[ >]/g, { sent: 'decision.0=approve&decision.0=approve' })).toEqual([]);
    expect(tagsOf(approval, /<[^>]* checked[ >]/g, { sent: 'decision.0=approve' })).toHaveLength(1);
  });

  test.each(Object.entries(HOSTILE))('adds no tag and no attribute, whatever was sent: %s', (_, text) => {
    const sent = (word: string) =>
      sentBy(['decision.0', word], ['input.0', word], ['output.1', word], ['option.0', word], ['comment', word], ['by', word]);
    const tags = (word: string) => shapeOf(pageOf(twoPeople, { asksName: true, sent: sent(word) })).tags;
    expect(tags(text)).toEqual(tags('a'));
    const set = (word: string) =>
      new Set(shapeOf(pageOf(twoCalls, { asksName: true, sent: sent(word) })).tags.map((tag) => tag.replace(/ rows="\d+"/, '')));
    expect(set(text)).toEqual(set('a'));
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
    expect(page.length).toBeLessThan(45_000 + 60 * visible(text).length);
    expect(JSON.parse(unescaped(/Raw JSON of all arguments<\/summary><pre><code>([^<]*)<\/code>/.exec(page)?.[1] as string))).toEqual(
      filledWith(text).questions[0]?.input,
    );
  });
});

const unescaped = (text: string) =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
