import { join } from 'node:path';
import aslValidator from 'asl-validator';
import { describe, expect, it } from 'vitest';
import { readDefinition, type StateDefinition } from '../../infra/local/definition.ts';
import { FUNCTIONS, TASK_MARGIN_SECONDS } from '../../shared/functions.ts';
import { executionState, nextName, outcome, STATE } from '../../shared/machine.ts';

const { machine } = await readDefinition(join(import.meta.dirname, 'local/handlers'));
const state = (name: string) => machine.States[name] as StateDefinition;
const tasks = Object.entries(machine.States).filter(([, { Type }]) => Type === 'Task');

interface Rule {
  Variable?: string;
  StringEquals?: string;
  Next?: string;
  And?: Rule[];
}
const rules = state(STATE.choice).Choices as Rule[];
const valuesOf = (variable: string) =>
  rules.flatMap((rule) => rule.And ?? rule).flatMap((rule) => (rule.Variable === variable ? [rule.StringEquals] : []));

describe('the state machine', () => {
  it('is valid in the eyes of another reader of the language', () => {
    const { isValid, errorsText } = aslValidator(machine as never, { checkArn: false });
    expect(isValid, errorsText('\n')).toBe(true);
  });

  it('has the states that code and screens name, and no other', () => {
    expect(Object.keys(machine.States).sort()).toEqual(Object.values(STATE).sort());
  });

  it('takes three transitions a turn: model step, choice, tool step', () => {
    expect(machine.StartAt).toBe(STATE.model);
    expect(state(STATE.model).Next).toBe(STATE.choice);
    expect(rules[0]).toMatchObject({ StringEquals: 'tools', Next: STATE.tools });
    expect(state(STATE.tools).Next).toBe(STATE.model);
  });

  it('has an answer to everything that a step may return', () => {
    expect(new Set(valuesOf('$.next'))).toEqual(new Set(nextName.options));
    expect(new Set([...valuesOf('$.outcome'), 'none'])).toEqual(new Set(outcome.options));
  });

  it.each(tasks)('%s retries only what surely did not start, and catches all else', (_, { Retry, Catch }) => {
    expect(Retry).toMatchObject([{ ErrorEquals: ['Lambda.TooManyRequestsException'], JitterStrategy: 'FULL' }]);
    expect(Catch).toEqual([{ ErrorEquals: ['States.ALL'], ResultPath: '$.failure', Next: STATE.crashed }]);
  });

  it.each(tasks)('%s lasts longer than its function may', (name, { Parameters, TimeoutSeconds }) => {
    const { FunctionName } = Parameters as { FunctionName: keyof typeof FUNCTIONS };
    const limit = FUNCTIONS[FunctionName].timeoutSeconds + TASK_MARGIN_SECONDS;
    expect(TimeoutSeconds).toSatisfy((seconds: number) => (name === STATE.ask ? seconds > limit : seconds === limit));
  });

  it.each([STATE.model, STATE.tools, STATE.ask])('%s is given every field of the state', (name) => {
    const { Payload } = state(name).Parameters as { Payload: Record<string, string> };
    for (const field of Object.keys(executionState.shape)) expect(Payload[`${field}.$`]).toBe(`$.${field}`);
  });

  it('carries on after a failed invocation with the fields of the state alone', () => {
    const fields = Object.keys(executionState.shape).map((field) => `${field}.$`);
    expect(Object.keys(state(STATE.crashed).Parameters as object)).toEqual(fields);
  });
});
