import type { Meta } from '../../shared/meta.ts';
import { policy } from '../../shared/policy.ts';
import { RUN_ID } from './log-builder.ts';

/** The META of a run that has just started. */
export const aMeta = (more: Partial<Meta> = {}): Meta => ({
  v: 1,
  runId: RUN_ID,
  agent: 'tester',
  status: 'running',
  reason: 'started',
  pin: { model: 'scripted/tester', machine: 'arn:aws:states:us-east-1:123456789012:stateMachine:tester' },
  policy: policy.parse({}),
  createdAt: 1,
  seenAt: 2,
  segment: 1,
  epoch: 0,
  overThrough: 0,
  step: '',
  attempts: 0,
  recoveries: 0,
  waitUntil: 0,
  totals: { turns: 0, inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
  ...more,
});
