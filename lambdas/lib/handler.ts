import type { StepOutput } from '../../shared/machine.ts';
import type { Invocation } from './invocation.ts';
import { type Perform, runStep } from './step.ts';

/**
 * Makes the Lambda handler of a step. An error leaves it with the invocation's id in its message: this is how the next
 * attempt knows that the invocation is over. The stack stays in the function's log, out of the execution's state.
 */
export const stepHandler =
  (kind: 'model' | 'tools', perform: Perform) =>
  async (event: unknown, invocation: Invocation): Promise<StepOutput> => {
    try {
      return await runStep(kind, event, invocation, perform);
    } catch (error) {
      console.error(error);
      throw brief(error, invocation);
    }
  };

function brief(error: unknown, { awsRequestId }: Invocation): Error {
  const { name = 'Error', message = String(error) } = (error ?? {}) as Error;
  const short = new Error(`RequestId: ${awsRequestId} ${message.slice(0, 300)}`);
  short.name = name;
  short.stack = '';
  return short;
}
