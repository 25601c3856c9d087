import { randomUUID } from 'node:crypto';
import type { Execution } from './execution.ts';
import type { LocalFunctions } from './functions.ts';
import type { Journal } from './journal.ts';
import { executionArn, MACHINE_ARN } from './names.ts';
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

/** Tells about an execution that failed or was stopped. */
export const recoverAfter = (functions: LocalFunctions) => async (execution: Execution) =>
  void (await invokeRecover(functions, statusChange(execution)));

/** The event that EventBridge delivers when the status of an execution changes. */
function statusChange(execution: Execution): object {
  const { name, status, input, startedAt, stoppedAt, error, cause } = execution;
  const detail = { executionArn: executionArn(name), stateMachineArn: MACHINE_ARN, name, status, input, error, cause };
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': 'Step Functions Execution Status Change',
    source: 'aws.states',
    time: new Date().toISOString(),
    detail: { ...detail, startDate: startedAt, stopDate: stoppedAt },
  };
}

async function invokeRecover(functions: LocalFunctions, event: object): Promise<boolean> {
  for (const ms of [...RETRY_MS, undefined]) {
    try {
      await functions.invoke('recover', event);
      return true;
    } catch (error) {
      if (functions.stopped()) return false;
      if (ms === undefined) console.error(`Cannot recover after ${JSON.stringify(event)}: ${(error as Error).message}`);
      else await pause(ms);
    }
  }
  return false;
}
