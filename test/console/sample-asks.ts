import type { AskState, AskView, QuestionView } from '../../shared/ask-view.ts';

/** Asks as a person may meet them. */

export const NOW = Date.UTC(2026, 10, 30, 9, 30);
const DAY = 24 * 3600_000;

const refund: QuestionView = {
  kind: 'approval',
  index: 0,
  tool: 'issue_refund',
  input: { reason: 'The parcel arrived broken; the customer sent photos.', order_id: 'A-1041', amount_cents: 48_900 },
  text: 'May issue_refund run? Refunds above 100.00 need consent',
  choices: ['approve', 'deny'],
  risk: 'high',
};

const mail: QuestionView = {
  kind: 'approval',
  index: 2,
  tool: 'send_mail',
  input: { to: 'kim@example.com', subject: 'Your refund', lines: ['Hello Kim,', 'your refund is on its way.'] },
  text: 'May send_mail run? Mails to customers need consent',
  choices: ['approve', 'deny'],
};

export const approval: AskView = {
  id: '01KB9ZT3N4Q8W2XJ6C5V7R1MHD-7',
  runId: '01KB9ZT3N4Q8W2XJ6C5V7R1MHD',
  agent: 'refund-agent',
  kind: 'approval',
  reason: 'approval',
  askedAt: NOW - 2 * 3600_000,
  expiresAt: NOW + 3 * DAY + 5 * 3600_000,
  recipient: 'pat@example.com',
  questions: [refund],
  task: { customer: 'Kim', request: 'My parcel arrived broken. I want my money back.' },
  before: [
    {
      tool: 'get_order',
      input: { order_id: 'A-1041' },
      ok: true,
      output: { order_id: 'A-1041', total_cents: 48_900, status: 'delivered' },
    },
    { tool: 'get_photos', input: { order_id: 'A-1041' }, ok: false, output: 'No photos are stored for this order' },
  ],
  totals: { turns: 3, inputTokens: 12_345, outputTokens: 678, cacheReadTokens: 9_000, cacheWriteTokens: 0 },
  costUsd: 0.0423,
  state: { is: 'open' },
};

export const twoCalls: AskView = { ...approval, questions: [refund, mail] };

export const unknownOutcome: AskView = {
  ...approval,
  kind: 'outcome-unknown',
  reason: 'outcome-unknown',
  questions: [
    {
      ...refund,
      kind: 'outcome-unknown',
      text: 'issue_refund was begun and its outcome is unknown (it was cut off). Was it done?',
      choices: ['done', 'not-done', 'abort'],
    },
  ],
};

export const escalation: AskView = {
  ...approval,
  kind: 'escalation',
  reason: 'attempts',
  questions: [
    {
      kind: 'escalation',
      index: 1,
      tool: 'get_photos',
      input: { order_id: 'A-1041' },
      text: 'get_photos failed 5 times.',
      choices: ['retry', 'result', 'skip', 'abort'],
    },
  ],
};

export const aboutTheRun: AskView = {
  ...approval,
  kind: 'escalation',
  reason: 'turn-limit',
  questions: [
    { kind: 'escalation', text: 'The run has had 50 turns, its limit. Let it have as many again, or abort?', choices: ['retry', 'abort'] },
  ],
};

export const answered: AskView = {
  ...twoCalls,
  state: {
    is: 'answered',
    by: 'pat@example.com',
    at: NOW - 600_000,
    decisions: [
      { index: 0, decision: 'approve', comment: 'Checked with the warehouse.' },
      { index: 2, decision: 'deny', comment: 'Checked with the warehouse.' },
    ],
  },
};

export const expired: AskView = { ...approval, expiresAt: NOW - 600_000, state: { is: 'expired', at: NOW - 600_000 } };
export const closed: AskView = { ...approval, state: { is: 'closed', status: 'cancelled', reason: 'Cancelled by pat' } };

/** An ask that holds the text in every place that a model, a tool or a person can write to. */
export function filledWith(text: string, state: AskState = { is: 'open' }): AskView {
  const input = { amount_cents: 2_000_000, reason: text, nested: { list: [text] }, [text]: 'key' };
  const { expiresAt: _, ...rest } = approval;
  return {
    ...rest,
    agent: text,
    reason: text,
    recipient: text,
    questions: [
      { ...refund, tool: text, input, text },
      { ...mail, kind: 'question', input: text, text, choices: ['result', 'abort'] },
    ],
    task: text,
    before: [{ tool: text, input: { [text]: text }, ok: false, output: text }],
    state,
  };
}

/** The states of an ask with the text in the words of people. */
export const statesWith = (text: string): AskState[] => [
  { is: 'open' },
  {
    is: 'answered',
    by: text,
    at: NOW,
    decisions: [
      { index: 0, decision: 'approve', comment: text },
      { index: 2, decision: 'abort' },
    ],
  },
  { is: 'expired', at: NOW },
  { is: 'closed', status: text, reason: text },
];
