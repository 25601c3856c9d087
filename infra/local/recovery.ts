import type { Execution } from './execution.ts';
import type { LocalFunctions } from './functions.ts';
import type { Journal } from './journal.ts';
import { pause } from './pause.ts';
import type { Unfinished } from './unfinished.ts';

/** Pauses before the second and later tries to recover a run, ms. A try may fail because its worker was killed. */
const RETRY_MS = [50, 200, 1000, 5000];

/** Gives every run that an earlier host left unfinished its next segment. All workers of that host must be gone. */
export async function recoverAll(functions: LocalFunctions, runs: Unfinished[], journal: Journal): Promise<void> {
  const recover = async (runId: string, executions: string[]) => {
    const done = await invokeRecover(functions, { source: 'host', runId, workersEnded: true });
    if (done) for (const name of executions) journal.remove(name);
  };
  await Promise.all(runs.map(({ runId, executions }) => recover(runId, executions)));
}

/** Tells about an execution that failed or was stopped, as EventBridge does. */
export const recoverAfter =
  (functions: LocalFunctions) =>
  async ({ input }: Execution): Promise<void> => {
    const { runId, segment } = JSON.parse(input) as { runId: string; segment: number };
    await invokeRecover(functions, { source: 'failure', runId, segment });
  };

async function invokeRecover(functions: LocalFunctions, event: { runId: string } & Record<string, unknown>): Promise<boolean> {
  for (const ms of [...RETRY_MS, undefined]) {
    try {
      await functions.invoke('recover', event);
      return true;
    } catch (error) {
      if (functions.stopped()) return false;
      if (ms === undefined) console.error(`Cannot recover run "${event.runId}": ${(error as Error).message}`);
      else await pause(ms);
    }
  }
  return false;
}
