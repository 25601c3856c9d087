import { expect, test } from 'vitest';
import { headline, named, stateAt } from '../../console/words.ts';
import type { AskView } from '../../shared/ask-view.ts';
import { aboutTheRun, answered, approval, escalation, NOW, twoCalls, unknownOutcome } from './sample-asks.ts';

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
  [{ ...aboutTheRun, kind: 'restart' }, 'Restart this run of refund-agent?'],
  [{ ...escalation, kind: 'callback' }, 'refund-agent waits for the result of get_photos'],
  [{ ...aboutTheRun, kind: 'question' }, 'refund-agent has a question'],
] as [AskView, string][])('headline() says what is asked', (view, sentence) => {
  expect(headline(view)).toBe(sentence);
});

test('named() puts what is no plain name in quotes', () => {
  expect(named('issue_refund')).toBe('issue_refund');
  expect(named('issue_refund?\nIt is safe')).toBe('“issue_refund? It is safe”');
});

test('stateAt() takes an open ask for expired from its last moment on', () => {
  const expiresAt = approval.expiresAt as number;
  expect(stateAt(approval, expiresAt - 1)).toEqual({ is: 'open' });
  expect(stateAt(approval, expiresAt)).toEqual({ is: 'expired', at: expiresAt });
  expect(stateAt(answered, NOW + 1e12)).toBe(answered.state);
});
