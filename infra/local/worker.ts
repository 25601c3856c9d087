import { pathToFileURL } from 'node:url';
import type { ErrorReport } from './function-error.ts';

/** One invocation, as the host sends it. */
export interface Invocation {
  requestId: string;
  event: unknown;
  /** When the invocation is ended by force, ms since the epoch. */
  deadline: number;
}

/** The answer: the handler's result as JSON, or its failure. */
export type Reply = { requestId: string; payload: string } | { requestId: string; error: ErrorReport };

/** The process that a function runs in: `node worker.ts <bundle> --data-dir=<folder>`. It takes one event at a time. */
if (process.send) {
  // AWS requests name the process that they come from.
  process.env.AWS_SDK_UA_APP_ID = `${process.env.AWS_LAMBDA_FUNCTION_NAME}.${process.pid}`;
  // Whatever is in flight ends here, like on a machine that is gone: the next host must be able to rely on that.
  process.on('disconnect', () => process.exit(1));
  const bundle = import(pathToFileURL(process.argv[2] as string).href);
  bundle.catch(() => {});
  process.on('message', async (invocation: Invocation) => {
    const reply = await answer(bundle, invocation);
    process.send?.(reply);
  });
}

async function answer(bundle: Promise<{ handler: (...args: unknown[]) => unknown }>, invocation: Invocation): Promise<Reply> {
  const { requestId, event } = invocation;
  try {
    const { handler } = await bundle;
    return { requestId, payload: JSON.stringify((await handler(event, contextOf(invocation))) ?? null) };
  } catch (error) {
    console.error(`${requestId} failed:`, error);
    return { requestId, error: report(error) };
  }
}

/** The part of Lambda's context object that handlers and Powertools use. */
function contextOf({ requestId, deadline }: Invocation) {
  const functionName = process.env.AWS_LAMBDA_FUNCTION_NAME as string;
  return {
    awsRequestId: requestId,
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:${process.env.AWS_REGION}:000000000000:function:${functionName}`,
    memoryLimitInMB: process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  };
}

function report(error: unknown): ErrorReport {
  if (!(error instanceof Error)) return { errorType: typeof error, errorMessage: String(error) };
  return { errorType: error.name, errorMessage: error.message, trace: (error.stack ?? '').split('\n') };
}
