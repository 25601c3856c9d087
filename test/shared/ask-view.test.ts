import { describe, expect, it } from 'vitest';
import { viewOfAsk } from '../../shared/ask-view.ts';
import type { Answer, Ask, RunRecord } from '../../shared/record.ts';
import { aMeta } from '../support/meta.ts';

const RUN = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const meta = aMeta({ runId: RUN });
const ask: Ask = {
  v: 1,
  seq: 2,
  at: 10,
  type: 'ask',
  kind: 'approval',
  reason: 'consent',
  expiresAt: 99,
  questions: [
    { kind: 'approval', index: 0, tool: 'pay', input: { cents: 5 }, inputHash: 'hash', text: 'May pay run?', choices: ['approve', 'deny'] },
  ],
};
const task: RunRecord = { v: 1, seq: 1, at: 1, type: 'task', agent: 'payer', input: 'pay' };
const answer = (decision: 'deny' | 'expired'): Answer => ({
  v: 1,
  seq: 3,
  at: 20,
  type: 'answer',
  ask: 2,
  by: 'Ada',
  answers: [{ index: 0, decision }],
});

describe('viewOfAsk()', () => {
  it('shows the exact call, the task and the deadline of an open ask', () => {
    expect(viewOfAsk(meta, [task, ask], ask, 'ada@example.test')).toMatchObject({
      id: `${RUN}-2`,
      task: 'pay',
      expiresAt: 99,
      recipient: 'ada@example.test',
      questions: [{ index: 0, tool: 'pay', input: { cents: 5 }, choices: ['approve', 'deny'] }],
      state: { is: 'open' },
    });
  });

  it('says who decided, and tells an expired ask from a denied one', () => {
    expect(viewOfAsk(meta, [task, ask, answer('deny')], ask).state).toEqual({
      is: 'answered',
      by: 'Ada',
      at: 20,
      decisions: [{ index: 0, decision: 'deny' }],
    });
    expect(viewOfAsk(meta, [task, ask, answer('expired')], ask).state).toEqual({ is: 'expired', at: 20 });
  });

  it('is closed by a cancel', () => {
    expect(viewOfAsk({ ...meta, cancel: { at: 5, by: 'Bob' } }, [task, ask], ask).state).toMatchObject({
      is: 'closed',
      status: 'cancelled',
    });
  });
});
