import { describe, expect, test } from 'vitest';
import { executionState, nextName, outcome, STATE, segmentInput, segmentName, stepOutput, versionOf } from '../../shared/machine.ts';
import { RUN_ID } from '../support/log-builder.ts';

describe('segments', () => {
  test('segmentInput() is a state from which a step can begin, the same each time', () => {
    expect(executionState.parse(segmentInput(RUN_ID, 2))).toEqual(segmentInput(RUN_ID, 2));
    expect(segmentInput(RUN_ID, 2)).toMatchObject({ cursor: 0, failures: 0, failure: null });
  });

  test('segmentName() gives names that Step Functions takes, and that sort', () => {
    expect(segmentName(RUN_ID, 12)).toBe(`${RUN_ID}-0012`);
    expect(segmentName(RUN_ID, 1_000_000)).toMatch(/^[a-zA-Z0-9_-]{1,80}$/);
    expect(segmentName(RUN_ID, 9) < segmentName(RUN_ID, 10)).toBe(true);
  });
});

describe('the state of an execution', () => {
  const output = { ...segmentInput(RUN_ID, 1), next: 'model', outcome: 'none', waitSeconds: 0 };

  test('stepOutput is again the input of a step', () => {
    expect(executionState.parse(stepOutput.parse(output))).toEqual(segmentInput(RUN_ID, 1));
  });

  test.each([
    ['next', 'stop'],
    ['outcome', 'done'],
    ['waitSeconds', 0.5],
    ['cursor', -1],
    ['segment', 0],
    ['failure', undefined],
  ])('stepOutput refuses a wrong %s', (field, value) =>
    expect(stepOutput.safeParse({ ...output, [field]: value }).error?.issues[0]?.path[0]).toBe(field),
  );

  test('stepOutput takes the report of a failure as the platform words it', () => {
    expect(stepOutput.safeParse({ ...output, failure: { Error: 'Lambda.Unknown', Cause: 'exit' } }).success).toBe(true);
    expect(stepOutput.safeParse({ ...output, failure: {} }).success).toBe(true);
  });
});

test('the words of the loop are the words of the design', () => {
  expect(nextName.options).toEqual(['model', 'tools', 'ask', 'wait', 'continue', 'end']);
  expect(outcome.options).toEqual(['none', 'completed', 'failed', 'cancelled', 'superseded']);
  expect(new Set(Object.values(STATE)).size).toBe(Object.keys(STATE).length);
});

test('versionOf() reads the number of a version, and finds none in the ARN of a machine', () => {
  const arn = 'arn:aws:states:us-east-1:123456789012:stateMachine:holdfast-dev';
  expect([versionOf(`${arn}:12`), versionOf(arn), versionOf('')]).toEqual([12, undefined, undefined]);
});
