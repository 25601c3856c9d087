import type { ExecutionState, NextName, Outcome, StepOutput } from '../../../../shared/machine.ts';
import { getRun, setField } from './run.ts';

interface Context {
  functionName: string;
  awsRequestId: string;
  getRemainingTimeInMillis(): number;
}

export async function handler(event: ExecutionState & { retries: number }, context: Context): Promise<StepOutput> {
  const { retries: _, ...state } = event;
  const { script, offset, segment } = await getRun(state.runId);
  const at = offset + state.cursor;
  const [word, detail] = (script[at] ?? 'end:completed').split(':') as [string, string | undefined];
  if (word === 'broken' && state.failures <= 30) throw new Error('broken');
  while (word === 'spin' && segment === 1);
  if (!state.failure) await befall(word, context);
  const next = (BEFALLS.has(word) ? 'model' : word) as NextName;
  if (next === 'ask') await setField(state.runId, 'askedAt', at);
  if (next === 'ask') await setField(state.runId, 'status', 'waiting');
  if (next === 'continue') await setField(state.runId, 'offset', at + 1);
  if (next === 'end') await setField(state.runId, 'status', detail);
  return {
    ...state,
    cursor: state.cursor + 1,
    events: state.events + 1,
    failures: 0,
    failure: null,
    next,
    outcome: next === 'end' ? (detail as Outcome) : 'none',
    waitSeconds: next === 'wait' ? Number(detail) : 0,
  };
}

const BEFALLS = new Set(['spin', 'broken', 'die', 'exit', 'throw', 'hang']);

async function befall(word: string, context: Context): Promise<void> {
  if (word === 'die') process.kill(process.pid, 'SIGKILL');
  if (word === 'exit') process.exit(7);
  if (word === 'throw') throw new RangeError(`${context.functionName} has ${context.getRemainingTimeInMillis() > 0} time left`);
  if (word === 'hang') await new Promise(() => setInterval(() => {}, 1000));
}
