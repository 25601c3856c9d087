import { SendTaskSuccessCommand, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { VersionGoneError } from '../../shared/errors.ts';
import { segmentInput, segmentName } from '../../shared/machine.ts';
import type { Meta } from '../../shared/meta.ts';

const stepFunctions = new SFNClient({});

/** What is needed to start a segment of a run: it stays on the code with which it began. */
export type Pinned = Pick<Meta, 'runId' | 'pin'>;

/**
 * Starts a segment's execution, on the code that the run is pinned to. Name and input are the same on every attempt, so that
 * a second start of one that is under way changes nothing. Returns false when the segment has come and gone. Throws a
 * VersionGoneError when that code is no more.
 */
export async function startSegment({ runId, pin }: Pinned, segment: number): Promise<boolean> {
  const name = segmentName(runId, segment);
  const input = JSON.stringify(segmentInput(runId, segment));
  const start = new StartExecutionCommand({ stateMachineArn: pin.machine, name, input });
  return succeeds(['ExecutionAlreadyExists'], stepFunctions.send(start)).catch((error: Error) => {
    if (error.name !== 'StateMachineDoesNotExist') throw error;
    throw new VersionGoneError(`Cannot go on with run "${runId}": its code, ${pin.machine}, is gone; start a new run`, { cause: error });
  });
}

/** Segments in a row that may have ended before their first step; beyond that something else is wrong. */
const MAX_LOST_SEGMENTS = 50;

/**
 * Gives a run the segment after one, or the first after that which has not come and gone. It takes the run over, and fences
 * the one before, with its first step; until then nothing has changed, so a crash before the start loses nothing.
 */
export async function giveSegmentAfter(run: Pinned, segment: number): Promise<void> {
  for (let next = segment + 1; next <= segment + MAX_LOST_SEGMENTS; next++) {
    if (await startSegment(run, next)) return;
  }
  throw new Error(
    `Cannot give run "${run.runId}" another segment: the ${MAX_LOST_SEGMENTS} after segment ${segment} ended before their first step`,
  );
}

/** Wakes the execution that waits on a task token; one that no longer waits is left alone. */
export async function wake(token: string): Promise<void> {
  const gone = ['TaskTimedOut', 'TaskDoesNotExist', 'InvalidToken'];
  await succeeds(gone, stepFunctions.send(new SendTaskSuccessCommand({ taskToken: token, output: '{}' })));
}

async function succeeds(unless: string[], call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (unless.includes((error as Error)?.name)) return false;
    throw error;
  }
}
