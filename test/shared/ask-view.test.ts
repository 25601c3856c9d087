import { describe, expect, it } from 'vitest';
import { viewOfAsk } from '../../shared/ask-view.ts';
import type { Answer, Ask, Decision, RunRecord } from '../../shared/record.ts';
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
  questions: [
    {
      kind: 'approval',
      index: 0,
      tool: 'pay',
      input: { cents: 5 },
      inputHash: 'hash',
      text: 'May pay run?',
      choices: ['approve', 'deny'],
      approvers: ['ada@example.test', 'bob@example.test'],
      needs: 2,
      expiresAt: 99,
    },
  ],
};
const task: RunRecord = { v: 1, seq: 1, at: 1, type: 'task', agent: 'payer', input: 'pay' };
const answer = (decision: Decision, by = 'ada@example.test'): Answer => ({
  v: 1,
  seq: 3,
  at: 20,
  type: 'answer',
  ask: 2,
  by,
  via: 'mail link',
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
    const denied = viewOfAsk(meta, [task, ask, answer('deny')], ask);
    expect(denied.state).toEqual({ is: 'answered', at: 20 });
    expect(denied.questions[0]).toMatchObject({
      settled: true,
      said: [{ by: 'ada@example.test', via: 'mail link', at: 20, decision: 'deny' }],
    });
    expect(viewOfAsk(meta, [task, ask, answer('expired')], ask).state).toEqual({ is: 'expired', at: 20 });
  });

  it('stays open until enough people have said yes, and asks only those who have not', () => {
    const log = [task, ask, answer('approve')];
    expect(viewOfAsk(meta, log, ask).state).toEqual({ is: 'open' });
    const mine = (recipient?: string) => viewOfAsk(meta, log, ask, recipient).questions[0]?.mine;
    expect([mine('ada@example.test'), mine('bob@example.test'), mine('eve@example.test'), mine()]).toEqual([false, true, false, true]);
  });

  it('lets only one who decides alone change the arguments', () => {
    expect(viewOfAsk(meta, [task, ask], ask).questions[0]?.editable).toBe(false);
    const alone = { ...ask, questions: ask.questions.map(({ needs: _, ...question }) => question) };
    expect(viewOfAsk(meta, [task, alone], alone).questions[0]?.editable).toBe(true);
  });

  it('is closed by a cancel', () => {
    expect(viewOfAsk({ ...meta, cancel: { at: 5, by: 'Bob' } }, [task, ask], ask).state).toMatchObject({
      is: 'closed',
      status: 'cancelled',
    });
  });
});
