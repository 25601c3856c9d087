import type { ExecutionState } from '../../../../shared/machine.ts';

export async function handler({ retries: _, ...state }: ExecutionState & { retries: number }) {
  return { ...state, events: state.events + 1 };
}
