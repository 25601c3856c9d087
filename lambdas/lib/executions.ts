import { SendTaskSuccessCommand, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { segmentInput, segmentName } from '../../shared/machine.ts';
import type { Meta } from '../../shared/meta.ts';
import { moveToNextSegment, type NextSegment } from './meta-store.ts';
import { settings } from './settings.ts';

const stepFunctions = new SFNClient({});

/** Starts a segment's execution. Name and input are the same on every attempt, so that a second start changes nothing. */
export async function startSegment(runId: string, segment: number): Promise<void> {
  const name = segmentName(runId, segment);
  const input = JSON.stringify(segmentInput(runId, segment));
  await unless(
    ['ExecutionAlreadyExists'],
    stepFunctions.send(new StartExecutionCommand({ stateMachineArn: settings().stateMachineArn, name, input })),
  );
}

/** Gives a run its next segment and starts it. Returns undefined when somebody else did first. */
export async function giveNextSegment(next: NextSegment): Promise<Meta | undefined> {
  const moved = await moveToNextSegment(next);
  if (moved) await startSegment(moved.runId, moved.segment);
  return moved;
}

/** Wakes the execution that waits on a task token; one that no longer waits is left alone. */
export async function wake(token: string): Promise<void> {
  const gone = ['TaskTimedOut', 'TaskDoesNotExist', 'InvalidToken'];
  await unless(gone, stepFunctions.send(new SendTaskSuccessCommand({ taskToken: token, output: '{}' })));
}

async function unless(expected: string[], call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!expected.includes((error as Error)?.name)) throw error;
  }
}
