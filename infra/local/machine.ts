import { StateMachine } from 'aws-local-stepfunctions';
import { STATE } from '../../shared/machine.ts';
import type { MachineDefinition, StateDefinition } from './definition.ts';

/** How waits differ from what the definition says; for tests. */
export interface Pace {
  /** Length of the pause after a failed or throttled invocation, ms. */
  backoffMs?: number | undefined;
  /** Longest Wait, ms. */
  maxWaitMs?: number | undefined;
}

/** The largest limit that the interpreter's timer can hold, s. The runner keeps limits by itself. */
const NO_LIMIT_SECONDS = 2_147_483;

/**
 * Makes the interpreter of a definition. Every state that takes time becomes a Task, for the runner to handle: the
 * interpreter's own timers fire at once when they are set to more than 24 days.
 */
export function interpreterOf({ StartAt, States }: MachineDefinition): StateMachine {
  const states = Object.entries(States).map(([name, state]) => [name, timeless(state)]);
  const definition = { StartAt, States: Object.fromEntries(states) };
  return new StateMachine(definition, { validationOptions: { noValidate: true } });
}

function timeless(state: StateDefinition): StateDefinition {
  if (state.Type === 'Task') return { ...state, TimeoutSeconds: NO_LIMIT_SECONDS };
  if (state.Type !== 'Wait') return state;
  const { Seconds: _, SecondsPath: __, ...rest } = state;
  return { ...rest, Type: 'Task', Resource: 'wait', TimeoutSeconds: NO_LIMIT_SECONDS };
}

/** How long a Wait state lasts, ms. `SecondsPath` may name a field of the state. */
export function waitMs(name: string, state: StateDefinition, input: unknown, { backoffMs, maxWaitMs = Infinity }: Pace): number {
  if (name === STATE.backoff && backoffMs !== undefined) return backoffMs;
  const field = String(state.SecondsPath ?? '').replace('$.', '');
  const seconds = Number(state.Seconds ?? (input as Record<string, unknown>)[field]);
  return Math.min(seconds * 1000, maxWaitMs);
}
