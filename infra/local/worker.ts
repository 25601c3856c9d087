import { pathToFileURL } from 'node:url';
import type { ErrorReport } from './function-error.ts';
import { type Invocation, READY, type Reply } from './worker-protocol.ts';

/** The process of a function: `node worker.ts <bundle> --data-dir=<folder>`. It takes one event at a time. */
type Handler = (event: unknown, context: object) => unknown;

// The AWS SDK names this process in its requests, so that a proxy in between can kill the one that made a request.
process.env.AWS_SDK_UA_APP_ID = `${process.env.AWS_LAMBDA_FUNCTION_NAME}.${process.pid}`;
// What is in flight ends here, as on a machine that is gone: the next host relies on it.
process.on('disconnect', () => process.exit(1));
const bundle: Promise<{ handler: Handler }> = import(pathToFileURL(process.argv[2] as string).href);
process.on('message', async (invocation: Invocation) => process.send?.(await answer(invocation)));
bundle.catch(() => {}).then(() => process.send?.(READY));

async function answer(invocation: Invocation): Promise<Reply> {
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
