import type { ExecutionState, StepOutput } from '../../shared/machine.ts';
import { endIfErased } from './erased-step.ts';
import { during, type Invocation, logError } from './invocation.ts';
import { type Perform, runStep } from './step.ts';

/**
 * Makes the Lambda handler of a function that the state machine invokes. An error leaves it with the invocation's id in its
 * message: this is how the next attempt knows that the invocation is over. The stack stays in the function's log, out of
 * the execution's state.
 */
export const machineHandler =
  <T>(
    work: (event: unknown, invocation: Invocation) => Promise<T>,
    stepOf: (state: Partial<ExecutionState>) => string | undefined = () => undefined,
  ) =>
  (event: unknown, invocation: Invocation): Promise<T> => {
    const state = (event ?? {}) as Partial<ExecutionState>;
    return during({ runId: state.runId, step: stepOf(state) }, async () => {
      try {
        return await work(event, invocation);
      } catch (error) {
        logError(error);
        throw brief(error, invocation);
      }
    });
  };

/** Makes the Lambda handler of a step. */
export const stepHandler = (kind: 'model' | 'tools', perform: Perform) =>
  machineHandler(
    (event, invocation): Promise<StepOutput> =>
      runStep(kind, event, invocation, perform).catch((error: unknown) => endIfErased(event, error)),
    ({ cursor }) => `${kind}:${cursor}`,
  );

function brief(error: unknown, { awsRequestId }: Invocation): Error {
  const { name = 'Error', message = String(error) } = (error ?? {}) as Error;
  const short = new Error(`RequestId: ${awsRequestId} ${message.slice(0, 300)}`);
  short.name = name;
  short.stack = '';
  return short;
}
