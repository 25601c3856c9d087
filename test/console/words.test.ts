import { expect, test } from 'vitest';
import { asOf, choiceOf, headline, named, oneOf, standingWords, stateAt, whyNothing } from '../../console/words.ts';
import type { AskView } from '../../shared/ask-view.ts';
import {
  aboutTheRun,
  alreadySaid,
  answered,
  approval,
  budgetReached,
  callback,
  escalation,
  NOW,
  overdue,
  partly,
  questionWithOptions,
  twoCalls,
  twoPeople,
  unknownOutcome,
} from './sample-asks.ts';

const [refund, mail] = twoCalls.questions as [AskView['questions'][number], AskView['questions'][number]];
const asking = (...questions: AskView['questions']): AskView => ({ ...approval, questions });

test.each([
  [approval, 'May refund-agent run issue_refund?'],
  [twoCalls, 'May refund-agent run issue_refund and send_mail?'],
  [asking(refund, refund, refund), 'May refund-agent run issue_refund 3 times?'],
  [asking(refund, mail, mail), 'May refund-agent run these 3 calls?'],
  [asking(refund, mail, { ...mail, tool: 'lock_door' }), 'May refund-agent run issue_refund, send_mail and lock_door?'],
  [asking(...'abcd'.split('').map((tool) => ({ ...mail, tool }))), 'May refund-agent run these 4 calls?'],
  [unknownOutcome, 'Was issue_refund of refund-agent done?'],
  [escalation, 'refund-agent is stuck at get_photos'],
  [aboutTheRun, 'refund-agent is stuck'],
  [budgetReached, 'refund-agent has reached its limit of cost'],
  [{ ...aboutTheRun, kind: 'restart' }, 'Restart this run of refund-agent?'],
  [callback, 'refund-agent waits for the result of ship_parcel'],
  [{ ...twoCalls, kind: 'callback' }, 'refund-agent waits for the results of issue_refund and send_mail'],
  [questionWithOptions, 'refund-agent has a question'],
  [{ ...twoCalls, kind: 'question' }, 'refund-agent has questions'],
] as [AskView, string][])('headline() says what is asked', (view, sentence) => {
  expect(headline(view)).toBe(sentence);
});

test('named() puts what is no plain name in quotes', () => {
  expect(named('issue_refund')).toBe('issue_refund');
  expect(named('issue_refund?\nIt is safe')).toBe('“issue_refund? It is safe”');
});

test('stateAt() takes an open ask for expired once it is too late for all of it', () => {
  const expiresAt = approval.expiresAt as number;
  expect(stateAt(approval, expiresAt - 1)).toEqual({ is: 'open' });
  expect(stateAt(approval, expiresAt)).toEqual({ is: 'expired', at: expiresAt });
  expect(stateAt(answered, NOW + 1e12)).toBe(answered.state);
  expect(stateAt(partly, partly.expiresAt as number)).toEqual({ is: 'open' });
  expect(stateAt(partly, expiresAt)).toEqual({ is: 'expired', at: expiresAt });
});

test('asOf() gives nobody a question for which it is too late', () => {
  const mine = (view: AskView, now: number) => asOf(view, now).questions.map((question) => question.mine);
  expect(mine(asking(refund, { ...mail, expiresAt: NOW }), NOW)).toEqual([true, false]);
  expect(mine(asking(refund, { ...mail, expiresAt: NOW }), NOW - 1)).toEqual([true, true]);
});

test('standingWords() says who is waited for, how many have said yes, and a deadline of its own', () => {
  const words = (view: AskView, i = 0) => standingWords(view.questions[i] as typeof refund, view, NOW);
  expect(words(approval)).toEqual([]);
  expect(words(answered)).toEqual(['Settled.']);
  expect(words(twoPeople)).toEqual(['1 of 2 people have said yes.']);
  expect(words(alreadySaid)).toEqual(['1 of 2 people have said yes.', 'Waits for kim@example.com or finance@example.com.']);
  expect(words(partly, 1)).toEqual(['Open until 2026-12-03 14:30 UTC (in 3 days).']);
  expect(words(partly, 2)).toEqual(['Waits for finance@example.com.']);
  expect(words(overdue)).toEqual(['Time was up on 2026-11-30 09:30 UTC: nobody answered.']);
});

test.each([
  [alreadySaid, 'You have said yes; one more person is needed.'],
  [asking({ ...(alreadySaid.questions[0] as typeof refund), needs: 3 }), 'You have said yes; 2 more people are needed.'],
  [
    asking({ ...(answered.questions[0] as typeof refund) }, { ...mail, mine: false, approvers: ['kim@example.com'] }),
    'You have answered all that was asked of you. What is still open waits for kim@example.com.',
  ],
  [
    asking({ ...mail, mine: false, approvers: ['kim@example.com'] }, { ...mail, mine: false, approvers: ['lee@example.com'] }),
    'Nothing here is asked of you now. What is still open waits for kim@example.com, and for lee@example.com.',
  ],
])('whyNothing() says why there is nothing to answer', (view, sentence) => {
  expect(whyNothing(view)).toBe(sentence);
});

test('oneOf() names some people and counts the others', () => {
  expect(oneOf(['a'])).toBe('a');
  expect(oneOf(['a', 'Kim Lee\n'])).toBe('a or “Kim Lee”');
  expect(oneOf('abcdefgh'.split(''))).toBe('a, b, c, d, e or 3 more');
});

test('choiceOf() says what a decision leads to, by what it is about', () => {
  expect(choiceOf('skip', { kind: 'question', editable: false }).label).toBe('Decline');
  expect(choiceOf('result', { kind: 'question', editable: false, options: ['a'] }).means).toContain('Choosing it is enough');
  expect(choiceOf('result', { kind: 'callback', editable: false }).means).toContain('from outside is not waited for');
  expect(choiceOf('approve', { kind: 'approval', editable: true }).means).toContain('exactly the changed ones');
  expect(choiceOf('approve', { kind: 'approval', editable: false }).means).toBe('It runs, with exactly these arguments.');
});

test('choiceOf() says of a retry at the limit of a day that nothing is raised by it', () => {
  const { budget } = budgetReached.questions[0] as AskView['questions'][number];
  const asked = { kind: 'escalation', editable: false } as const;
  expect(choiceOf('retry', { ...asked, ...(budget ? { budget } : {}) })).toMatchObject({ label: 'Try again' });
  expect(choiceOf('retry', asked)).toMatchObject({ label: 'Retry' });
});
