import { executionState, type StepOutput } from '../../shared/machine.ts';
import { readMeta } from './meta-store.ts';

/** What becomes of a step that failed: one of a run that was erased is over, and its execution ends. Any other throws what it threw. */
export async function endIfErased(event: unknown, error: unknown): Promise<StepOutput> {
  const { success, data: state } = executionState.safeParse(event);
  if (!success || !(await isErased(state.runId))) throw error;
  return { ...state, failures: 0, failure: null, next: 'end', outcome: 'superseded', waitSeconds: 0 };
}

/** Tells whether a run was erased; not when nobody can tell. */
export const isErased = async (runId: string): Promise<boolean> => (await readMeta(runId).catch(() => undefined))?.status === 'erased';
