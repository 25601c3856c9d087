import { EVENTS } from '../../shared/machine.ts';
import type { MachineDefinition, StateDefinition } from './definition.ts';

/** What Step Functions would have counted for an execution. */
export interface History {
  events: number;
  transitions: number;
}

/** The events of the interpreter that count. */
export interface InterpreterEvent {
  type: string;
  state?: { name: string };
}

/** An execution's history before its first state: ExecutionStarted. */
export const newHistory = (): History => ({ events: 1, transitions: 0 });

/** Adds what an event of the interpreter stands for. */
export function addToHistory(history: History, event: InterpreterEvent, machine: MachineDefinition): void {
  const state = machine.States[event.state?.name ?? ''];
  if (event.type === 'StateEntered') history.transitions += 1;
  if (event.type === 'StateRetried') {
    history.transitions += 1;
    history.events += EVENTS.retry;
  }
  if (event.type === 'StateExited' && state) history.events += eventsOf(state);
  if (event.type === 'StateFailed' && state?.Type === 'Fail') history.events += 1;
  if (event.type.startsWith('Execution') && event.type !== 'ExecutionStarted') history.events += 1;
}

/** The events of one visit of a state. A caught failure takes as many as a success. */
function eventsOf(state: StateDefinition): number {
  if (state.Type === 'Task') return String(state.Resource).endsWith('.waitForTaskToken') ? EVENTS.callbackTask : EVENTS.task;
  if (state.Type === 'Choice') return EVENTS.choice;
  return state.Type === 'Wait' ? EVENTS.wait : EVENTS.pass;
}
