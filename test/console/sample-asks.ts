import type { AskState, AskView, QuestionView, SaidView } from '../../shared/ask-view.ts';

/** Asks as a person may meet them. */

export const NOW = Date.UTC(2026, 10, 30, 9, 30);
const DAY = 24 * 3600_000;

const EXPIRES = NOW + 3 * DAY + 5 * 3600_000;
/** A question that nobody has said anything to, asked of the one who looks. */
const fresh = { said: [], settled: false, mine: true, editable: false } as const;

const refund: QuestionView = {
  ...fresh,
  editable: true,
  expiresAt: EXPIRES,
  kind: 'approval',
  index: 0,
  tool: 'issue_refund',
  input: { reason: 'The parcel arrived broken; the customer sent photos.', order_id: 'A-1041', amount_cents: 48_900 },
  text: 'May issue_refund run? Refunds above 100.00 need consent',
  choices: ['approve', 'deny'],
  risk: 'high',
};

const mail: QuestionView = {
  ...fresh,
  editable: true,
  expiresAt: EXPIRES,
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
  expiresAt: EXPIRES,
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
  ...without(approval, 'expiresAt'),
  kind: 'outcome-unknown',
  reason: 'outcome-unknown',
  questions: [
    {
      ...without(refund, 'expiresAt'),
      kind: 'outcome-unknown',
      editable: false,
      text: 'issue_refund was begun and its outcome is unknown (it was cut off). Was it done?',
      choices: ['done', 'not-done', 'abort'],
    },
  ],
};

export const escalation: AskView = {
  ...without(approval, 'expiresAt'),
  kind: 'escalation',
  reason: 'attempts',
  questions: [
    {
      ...fresh,
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
  ...without(approval, 'expiresAt'),
  kind: 'escalation',
  reason: 'step-fails',
  questions: [
    {
      ...fresh,
      kind: 'escalation',
      text: 'The model step was begun 8 times and never ended. Retry, or abort the run?',
      choices: ['retry', 'abort'],
    },
  ],
};

export const budgetReached: AskView = {
  ...without(approval, 'expiresAt'),
  kind: 'escalation',
  reason: 'cost-limit',
  questions: [
    {
      ...fresh,
      kind: 'escalation',
      text: 'The run has spent $0.48 of $0.5, and its next step is expected to take $0.03. Raise the limit, let the run finish up, or stop it?',
      choices: ['raise', 'finish', 'stop'],
      budget: { name: 'cost-limit', unit: 'costUsd', limit: 0.5, spent: 0.48, by: 0.5, least: 0.01, most: 5 },
    },
  ],
};

/** What somebody said a while ago. */
const said = (by: string, more: Partial<SaidView> = {}): SaidView => ({
  by,
  via: 'mail link',
  at: NOW - 600_000,
  decision: 'approve',
  ...more,
});

/** A question that needs nothing more. */
const settledBy = (question: QuestionView, ...saying: SaidView[]): QuestionView => ({
  ...question,
  said: saying,
  settled: true,
  mine: false,
});

const CHECKED = { comment: 'Checked with the warehouse.' };

export const answered: AskView = {
  ...without(twoCalls, 'expiresAt'),
  questions: [
    settledBy(refund, said('pat@example.com', CHECKED)),
    settledBy(mail, said('pat@example.com', { decision: 'deny', via: 'API', ...CHECKED })),
  ],
  state: { is: 'answered', at: NOW - 600_000 },
};

/** Consent to other arguments than those asked about. */
export const edited: AskView = {
  ...answered,
  questions: [
    settledBy(refund, said('pat@example.com', { edited: { order_id: 'A-1041', amount_cents: 12_500, note: 'Half of it' }, ...CHECKED })),
  ],
};

export const expired: AskView = {
  ...without(approval, 'expiresAt'),
  questions: [settledBy(refund, said('the clock', { via: 'clock', decision: 'expired' }))],
  state: { is: 'expired', at: NOW - 600_000 },
};
export const closed: AskView = { ...approval, state: { is: 'closed', status: 'cancelled', reason: 'Cancelled by pat' } };

/** Too late, though that is not recorded yet. */
export const overdue: AskView = { ...approval, expiresAt: NOW, questions: [{ ...refund, expiresAt: NOW }] };

const APPROVERS = ['pat@example.com', 'kim@example.com', 'finance@example.com'];
const double: QuestionView = { ...refund, needs: 2, approvers: APPROVERS, editable: false };

/** Two people must say yes; one has, and another one looks. */
export const twoPeople: AskView = { ...approval, questions: [{ ...double, said: [said('kim@example.com', CHECKED)] }] };

/** The same, and the one who has said yes looks. */
export const alreadySaid: AskView = {
  ...approval,
  questions: [{ ...double, said: [said('pat@example.com')], mine: false }],
};

/** Four calls: one settled, one asked of somebody else and sooner late, two open. */
export const partly: AskView = {
  ...approval,
  expiresAt: NOW + DAY,
  questions: [
    settledBy(refund, said('kim@example.com', { via: 'inbox', decision: 'deny', ...CHECKED })),
    mail,
    { ...mail, index: 3, tool: 'lock_door', mine: false, approvers: ['finance@example.com'], expiresAt: NOW + DAY },
    { ...mail, index: 4, tool: 'send_parcel' },
  ],
};

const asking: QuestionView = {
  ...fresh,
  kind: 'question',
  index: 0,
  tool: 'ask_user',
  input: { question: 'Which colour shall the new parcel have?', options: ['Blue', 'Green', 'Whatever is in stock'] },
  text: 'Which colour shall the new parcel have?',
  options: ['Blue', 'Green', 'Whatever is in stock'],
  choices: ['result', 'skip', 'abort'],
  expiresAt: EXPIRES,
};

export const questionWithOptions: AskView = { ...approval, kind: 'question', reason: 'question', questions: [asking] };

export const freeQuestion: AskView = {
  ...questionWithOptions,
  questions: [{ ...without(asking, 'options'), input: { question: 'What shall I tell Kim?' }, text: 'What shall I tell Kim?' }],
};

export const callback: AskView = {
  ...approval,
  kind: 'callback',
  reason: 'callback',
  questions: [
    {
      ...fresh,
      kind: 'callback',
      index: 0,
      tool: 'ship_parcel',
      input: { order_id: 'A-1041' },
      text: 'ship_parcel was begun, and its result comes from outside. It may be given by hand.',
      choices: ['result', 'skip', 'abort'],
      expiresAt: EXPIRES,
    },
  ],
};

/** An ask that holds the text in every place that a model, a tool or a person can write to. */
export function filledWith(text: string, state: AskState = { is: 'open' }): AskView {
  const input = { amount_cents: 2_000_000, reason: text, nested: { list: [text] }, [text]: 'key' };
  const saying = said(text, { comment: text, output: text, edited: { [text]: text } });
  return {
    ...without(approval, 'expiresAt'),
    agent: text,
    reason: text,
    recipient: text,
    questions: [
      { ...without(refund, 'expiresAt'), tool: text, input, text },
      { ...without(asking, 'expiresAt'), index: 1, tool: text, input: null, text, options: [text] },
      { ...without(mail, 'expiresAt'), input: {}, needs: 3, approvers: [text, `${text}.`], said: [saying] },
      { ...without(settledBy(mail, said(text), said(text, { decision: 'deny' })), 'expiresAt'), index: 3, tool: text, input: {} },
    ],
    task: text,
    before: [{ tool: text, input: { [text]: text }, ok: false, output: text }],
    state,
  };
}

/** The states of an ask with the text in the words of people. */
export const statesWith = (text: string): AskState[] => [
  { is: 'open' },
  { is: 'answered', at: NOW },
  { is: 'expired', at: NOW },
  { is: 'closed', status: text, reason: text },
];

function without<T extends object, K extends keyof T>(value: T, key: K): Omit<T, K> {
  const { [key]: _, ...rest } = value;
  return rest;
}
