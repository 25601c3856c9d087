import type { RunSummary } from '../../shared/api.ts';
import type { Call, RunRecord } from '../../shared/record.ts';
import { askId } from '../../shared/tables.ts';
import type { FakeRun } from './fake-service.ts';

export const RUN_ID = '01JDZ0000000000000000000AA';

/** A summary of a run, with what a test says of it. */
export const summary = (given: Partial<RunSummary> = {}): RunSummary => ({
  runId: RUN_ID,
  agent: 'desk',
  status: 'running',
  reason: 'at work',
  model: 'scripted/desk',
  createdAt: 1_700_000_000_000,
  seenAt: 1_700_000_000_000,
  segment: 1,
  totals: { turns: 1, inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 },
  step: 'model:1',
  attempts: 1,
  ...given,
});

const place = (seq: number) => ({ v: 1 as const, seq, at: 1_700_000_000_000 + seq * 1_000 });

export const callOf = (index: number, given: Partial<Call> = {}): Call => ({
  index,
  providerId: `p${index}`,
  tool: 'pay',
  input: { amount: index },
  inputHash: 'h',
  class: 'once',
  ...given,
});

export const task = (input: RunRecord & { type: 'task' } extends { input: infer I } ? I : never = { order: 'A-1' }): RunRecord => ({
  ...place(1),
  type: 'task',
  agent: 'desk',
  input,
});

export const reply = (seq: number, calls: Call[], given: Partial<Extract<RunRecord, { type: 'reply' }>> = {}): RunRecord => ({
  ...place(seq),
  type: 'reply',
  text: 'I pay.',
  content: [],
  calls,
  finish: calls.length > 0 ? 'calls' : 'stop',
  usage: { inputTokens: 10, outputTokens: 5 },
  model: 'scripted/desk',
  ms: 40,
  attempts: 1,
  ...given,
});

export const ask = (seq: number, given: Partial<Extract<RunRecord, { type: 'ask' }>> = {}): RunRecord => ({
  ...place(seq),
  type: 'ask',
  kind: 'approval',
  reason: 'needs-consent',
  reply: seq - 1,
  questions: [0, 1].map((index) => ({
    kind: 'approval',
    index,
    tool: 'pay',
    input: { amount: index },
    text: 'May it pay?',
    choices: ['approve', 'deny'],
  })),
  ...given,
});

export const end = (seq: number, status: 'completed' | 'failed' | 'cancelled' = 'completed'): RunRecord => ({
  ...place(seq),
  type: 'end',
  status,
  reason: 'final-reply',
  text: 'All paid.',
});

/** A run that came to its end. */
export const endedRun = (status: 'completed' | 'failed' | 'cancelled' = 'completed'): FakeRun => ({
  summary: summary({ status, reason: 'over' }),
  records: [task(), reply(2, []), end(3, status)],
});

/** A run that waits for consent to two calls. */
export const waitingRun = (given: Partial<Extract<RunRecord, { type: 'ask' }>> = {}): FakeRun => ({
  summary: summary({ status: 'waiting', reason: 'asks', ask: { id: askId(RUN_ID, 3), kind: given.kind ?? 'approval' } }),
  records: [task(), reply(2, [callOf(0), callOf(1)]), ask(3, given)],
});
