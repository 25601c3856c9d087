import type { StateMachine } from 'aws-local-stepfunctions';
import type { MachineDefinition, StateDefinition } from './definition.ts';
import type { Invocable } from './functions.ts';
import { addToHistory, type History, newHistory } from './history.ts';
import type { Pace } from './machine.ts';
import { executionArn, MACHINE_ARN } from './names.ts';
import { perform, type TaskContext } from './task.ts';
import type { Tokens } from './tokens.ts';

/** What executions of one version share. */
export interface ExecutionEnvironment {
  machine: MachineDefinition;
  interpreter: StateMachine;
  functions: Invocable;
  tokens: Tokens;
  pace: Pace;
}

export type ExecutionStatus = 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'ABORTED';

/** One execution, running or closed. */
export interface Execution extends History {
  name: string;
  /** JSON, byte for byte as it was given. */
  input: string;
  status: ExecutionStatus;
  startedAt: number;
  stoppedAt?: number;
  output?: string;
  error?: string;
  cause?: string;
  /** The largest result that became the state, bytes. */
  maxStateBytes: number;
}

/** An execution at work. `ended` fulfils when `execution` is closed; `abort` closes it. */
export interface Running {
  execution: Execution;
  ended: Promise<void>;
  abort(): void;
}

/** Interprets the machine from its first state to its end. */
export function startExecution(name: string, input: string, environment: ExecutionEnvironment): Running {
  const execution: Execution = { name, input, status: 'RUNNING', startedAt: Date.now(), maxStateBytes: 0, ...newHistory() };
  const over = new AbortController();
  const visit: Visit = { retries: 0, token: undefined };
  const context: TaskContext = {
    ...environment,
    signal: over.signal,
    token: () => visit.token as string,
    onResult: (bytes) => {
      execution.maxStateBytes = Math.max(execution.maxStateBytes, bytes);
    },
  };
  const { result, eventLogs, abort } = environment.interpreter.run(JSON.parse(input), {
    overrides: overridesOf(environment, context, visit),
    context: contextObject(execution, visit, environment.tokens),
  });
  const counted = count(execution, eventLogs, environment.machine);
  const ended = Promise.allSettled([result, counted]).then(([outcome]) => {
    close(execution, outcome);
    over.abort();
    if (visit.token) environment.tokens.close(visit.token);
  });
  return { execution, ended, abort };
}

/** One visit of a state: the tries that were throttled before, and the task token if it was given one. */
interface Visit {
  retries: number;
  token: string | undefined;
}

/** The Context Object. The interpreter reads `State` and `Task` anew for every try. */
const contextObject = ({ name, startedAt }: Execution, visit: Visit, tokens: Tokens) => ({
  Execution: { Id: executionArn(name), Name: name, StartTime: new Date(startedAt).toISOString(), RedriveCount: 0 },
  StateMachine: { Id: MACHINE_ARN, Name: 'Holdfast' },
  State: {
    get RetryCount() {
      return visit.retries;
    },
  },
  Task: {
    get Token() {
      visit.token ??= tokens.mint();
      return visit.token;
    },
  },
});

/** The runner's part of the interpretation: every state that takes time, and the pauses between tries. */
function overridesOf({ machine, pace }: ExecutionEnvironment, context: TaskContext, visit: Visit) {
  const timed = Object.entries(machine.States).filter(([, state]) => state.Type === 'Task' || state.Type === 'Wait');
  const handlers = timed.map(([name, state]) => [name, (input: unknown) => attempt(name, state, input, context, visit)]);
  const intervals = pace.backoffMs === undefined ? [] : timed.map(([name]) => [name, pace.backoffMs]);
  return { taskResourceLocalHandlers: Object.fromEntries(handlers), retryIntervalOverrides: Object.fromEntries(intervals) };
}

/** Performs a visit, and counts the tries of it that the definition lets follow one another. */
async function attempt(name: string, state: StateDefinition, input: unknown, context: TaskContext, visit: Visit): Promise<unknown> {
  try {
    const result = await perform(name, state, input, context);
    visit.retries = 0;
    return result;
  } catch (error) {
    visit.retries = mayRetry(state, error as Error, visit.retries) ? visit.retries + 1 : 0;
    throw error;
  } finally {
    visit.token = undefined;
  }
}

interface Retrier {
  ErrorEquals: string[];
  MaxAttempts: number;
}

const mayRetry = (state: StateDefinition, error: Error, retries: number) =>
  ((state.Retry ?? []) as Retrier[]).some(({ ErrorEquals, MaxAttempts }) => ErrorEquals.includes(error.name) && retries < MaxAttempts);

/** Reads the interpreter's events as they come; it would keep them otherwise. */
async function count(execution: Execution, events: AsyncIterable<{ type: string }>, machine: MachineDefinition): Promise<void> {
  for await (const event of events) addToHistory(execution, event, machine);
}

function close(execution: Execution, outcome: PromiseSettledResult<unknown>): void {
  execution.stoppedAt = Date.now();
  if (outcome.status === 'fulfilled') {
    execution.status = 'SUCCEEDED';
    execution.output = JSON.stringify(outcome.value);
    return;
  }
  const aborted = outcome.reason?.name === 'ExecutionAbortedError';
  execution.status = aborted ? 'ABORTED' : 'FAILED';
  if (aborted) return;
  execution.error = outcome.reason.cause?.name;
  execution.cause = outcome.reason.cause?.message;
}
