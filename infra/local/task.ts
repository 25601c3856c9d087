import type { FunctionName } from '../../shared/functions.ts';
import type { StateDefinition } from './definition.ts';
import type { Invocable } from './functions.ts';
import { type Pace, waitMs } from './machine.ts';
import { pause } from './pause.ts';
import type { Delivery, Tokens } from './tokens.ts';

/** What the states of one execution work with. */
export interface TaskContext {
  functions: Invocable;
  tokens: Tokens;
  pace: Pace;
  /** Aborted when the execution is over. */
  signal: AbortSignal;
  /** The token that the Task in hand was given. */
  token(): string;
  /** Told the size of each result that became the state, bytes. */
  onResult(bytes: number): void;
}

/** The Parameters of `lambda:invoke`. */
interface InvokeInput {
  FunctionName: FunctionName;
  Payload: unknown;
}

/** The most that a state may hold, bytes. */
const MAX_STATE_BYTES = 262_144;

/** Performs one visit of a Task or Wait state. What it throws has the name that the state machine matches on. */
export async function perform(name: string, state: StateDefinition, input: unknown, context: TaskContext): Promise<unknown> {
  if (state.Type === 'Wait') return wait(name, state, input, context);
  if (String(state.Resource).endsWith('.waitForTaskToken')) return callback(state, input as InvokeInput, context);
  return invoke(input as InvokeInput, context);
}

async function wait(name: string, state: StateDefinition, input: unknown, { pace, signal }: TaskContext): Promise<unknown> {
  await pause(waitMs(name, state, input, pace), signal);
  return input;
}

/** The integration `lambda:invoke` wraps what the function returns. */
async function invoke({ FunctionName, Payload }: InvokeInput, { functions, onResult }: TaskContext): Promise<unknown> {
  const payload = await functions.invoke(FunctionName, Payload);
  const bytes = Buffer.byteLength(payload);
  if (bytes > MAX_STATE_BYTES) throw named('States.DataLimitExceeded', `The result of ${FunctionName} has ${bytes} bytes`);
  onResult(bytes);
  return { ExecutedVersion: '$LATEST', Payload: JSON.parse(payload), StatusCode: 200 };
}

/** Invokes the function and waits for its token, which may come back before the function does. */
async function callback({ TimeoutSeconds }: StateDefinition, input: InvokeInput, context: TaskContext): Promise<unknown> {
  const { functions, tokens } = context;
  const token = context.token();
  const over = new AbortController();
  const limit = pause(Number(TimeoutSeconds) * 1000, AbortSignal.any([over.signal, context.signal]));
  const expired = limit.then(() => Promise.reject(named('States.Timeout', '')));
  const failed = functions.invoke(input.FunctionName, input.Payload).then(() => new Promise<never>(() => {}));
  try {
    return resultOf(await Promise.race([tokens.wait(token), failed, expired]));
  } finally {
    over.abort();
    tokens.close(token);
    failed.catch(() => {});
    expired.catch(() => {});
  }
}

function resultOf(delivery: Delivery): unknown {
  if ('output' in delivery) return JSON.parse(delivery.output);
  throw named(delivery.error ?? 'States.TaskFailed', delivery.cause ?? '');
}

const named = (name: string, message: string) => Object.assign(new Error(message), { name });
