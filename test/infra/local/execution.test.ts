import { describe, expect, it } from 'vitest';
import { readDefinition } from '../../../infra/local/definition.ts';
import { type Execution, startExecution } from '../../../infra/local/execution.ts';
import type { LocalFunctions } from '../../../infra/local/functions.ts';
import { interpreterOf, waitMs } from '../../../infra/local/machine.ts';
import { createTokens } from '../../../infra/local/tokens.ts';
import type { FunctionName } from '../../../shared/functions.ts';
import { EVENTS, type NextName, STATE, type StepOutput, segmentInput } from '../../../shared/machine.ts';
import { HANDLERS } from './scripted-host.ts';

const { machine } = await readDefinition(HANDLERS);
const interpreter = interpreterOf(machine);

type Answer = (event: Record<string, unknown>) => unknown;

/** Plays the machine with functions that are played too. */
async function play(
  answers: Partial<Record<FunctionName, Answer>>,
  change = (definition: typeof machine) => definition,
): Promise<Execution> {
  const invoke = async (name: FunctionName, event: unknown) => JSON.stringify(answers[name]?.(event as Record<string, unknown>) ?? null);
  const changed = change(structuredClone(machine));
  const environment = {
    machine: changed,
    interpreter: changed === machine ? interpreter : interpreterOf(changed),
    functions: { invoke } as LocalFunctions,
    tokens: createTokens(),
    pace: { backoffMs: 0 },
  };
  const { execution, ended } = startExecution('A-0001', JSON.stringify(segmentInput('A', 1)), environment);
  await ended;
  return execution;
}

const step = (state: object, next: NextName, more: Partial<StepOutput> = {}) => ({
  ...state,
  next,
  outcome: 'none',
  waitSeconds: 0,
  ...more,
});
const end = (state: object) => step(state, 'end', { outcome: 'completed' });
const named = (name: string) => Object.assign(new Error('{}'), { name });

describe('startExecution()', () => {
  it('tells a step how often it was throttled before, and starts from 0 at the next visit', async () => {
    const retries: unknown[] = [];
    const execution = await play({
      'model-step': (event) => {
        retries.push(event.retries);
        if (retries.length < 4) throw named('Lambda.TooManyRequestsException');
        return retries.length === 4 ? step(event, 'model') : end(event);
      },
    });
    expect(retries).toEqual([0, 1, 2, 3, 0]);
    expect(execution.events).toBe(1 + 2 * (EVENTS.task + EVENTS.choice) + 3 * EVENTS.retry + EVENTS.pass + 1);
  });

  it('takes up a failure after the last retry, and counts from 0 again', async () => {
    const seen: unknown[] = [];
    await play({
      'model-step': (event) => {
        seen.push(event.retries);
        if (seen.length <= 13) throw named('Lambda.TooManyRequestsException');
        expect(event).toMatchObject({ failures: 1, failure: { Error: 'Lambda.TooManyRequestsException', Cause: '{}' }, retries: 0 });
        return end(event);
      },
    });
    expect(seen).toHaveLength(14);
  });

  it('counts the events of a failed invocation as Step Functions does', async () => {
    let failed = false;
    const execution = await play({
      'model-step': (event) => {
        if (failed) return end(event);
        failed = true;
        throw named('Runtime.ExitError');
      },
    });
    expect(execution.events).toBe(
      1 + EVENTS.task + EVENTS.pass + EVENTS.choice + EVENTS.wait + EVENTS.task + EVENTS.choice + EVENTS.pass + 1,
    );
  });

  it('asks again with a new token when a wait has timed out', async () => {
    const tokens: unknown[] = [];
    const failures: unknown[] = [];
    await play(
      {
        ask: ({ token }) => void tokens.push(token),
        'model-step': (event) => {
          failures.push((event.failure as { Error: string } | null)?.Error);
          return tokens.length === 2 ? end(event) : step(event, 'ask', { failure: null });
        },
      },
      ({ States, ...rest }) => ({
        ...rest,
        States: { ...States, [STATE.ask]: { ...States[STATE.ask], Type: 'Task', TimeoutSeconds: 0.01 } },
      }),
    );
    expect(new Set(tokens).size).toBe(2);
    expect(failures).toEqual([undefined, 'States.Timeout', 'States.Timeout']);
  });

  it('takes a result beyond the quota for a failure', async () => {
    const execution = await play({
      'model-step': (event) =>
        event.failure ? end({ ...event, failure: null, was: event.failure }) : step({ ...event, big: 'x'.repeat(262_144) }, 'model'),
    });
    expect(execution.output).toContain('States.DataLimitExceeded');
    expect(execution.maxStateBytes).toBeLessThan(1000);
  });

  it('reports a step without a known answer', async () => {
    const execution = await play({ 'model-step': (event) => step(event, 'nothing' as NextName) });
    expect(execution).toMatchObject({ status: 'FAILED', error: 'States.NoChoiceMatched' });
  });
});

describe('waitMs()', () => {
  const wait = { Type: 'Wait', SecondsPath: '$.waitSeconds' };
  it('is what the state says, whatever its length', () => {
    expect(waitMs('Wait', wait, { waitSeconds: 3_000_000 }, {})).toBe(3_000_000_000);
    expect(waitMs('Wait', wait, { waitSeconds: 3_000_000 }, { maxWaitMs: 5 })).toBe(5);
    expect(waitMs(STATE.backoff, { Type: 'Wait', Seconds: 1 }, {}, { backoffMs: 3 })).toBe(3);
  });
});
