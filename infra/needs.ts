import { FUNCTIONS, type FunctionName } from '../shared/functions.ts';

type TableCall = 'GetItem' | 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'Query';
type StatesCall = 'StartExecution' | 'SendTaskSuccess';

/** What a function's code calls; its role allows this and no more. */
export interface Needs {
  /** Calls to the table of runs. */
  readonly runs: readonly TableCall[];
  /** It lists runs by their status. */
  readonly byStatus?: true;
  /** Calls to the table of idempotency records. */
  readonly idempotency?: readonly TableCall[];
  readonly states?: readonly StatesCall[];
  /** It makes or checks links. */
  readonly linkKey?: true;
  /** It writes to people, by mail and by webhooks. */
  readonly letters?: true;
  /** It asks models. */
  readonly models?: true;
}

/** What each function needs. A test plays runs, and holds what they called against this. */
export const NEEDS: Record<FunctionName, Needs> = {
  'start-run': { runs: ['GetItem', 'PutItem'], states: ['StartExecution'] },
  'model-step': { runs: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query'], models: true },
  'tool-step': {
    runs: ['GetItem', 'PutItem', 'UpdateItem', 'Query'],
    // Powertools reads a record that is in its way only where the failed put does not show it.
    idempotency: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'],
    linkKey: true,
  },
  ask: { runs: ['GetItem', 'PutItem', 'UpdateItem', 'Query'], states: ['SendTaskSuccess'], linkKey: true, letters: true },
  answer: { runs: ['GetItem', 'PutItem', 'UpdateItem', 'Query'], states: ['SendTaskSuccess'] },
  recover: { runs: ['GetItem', 'UpdateItem', 'Query'], states: ['StartExecution'] },
  'read-runs': { runs: ['GetItem', 'Query'], byStatus: true },
  'steer-run': {
    runs: ['GetItem', 'PutItem', 'UpdateItem', 'Query'],
    states: ['StartExecution', 'SendTaskSuccess'],
    linkKey: true,
    letters: true,
  },
  'ask-page': {
    runs: ['GetItem', 'PutItem', 'UpdateItem', 'Query'],
    byStatus: true,
    states: ['SendTaskSuccess'],
    linkKey: true,
    letters: true,
  },
  callback: { runs: ['GetItem', 'PutItem', 'UpdateItem', 'Query'], states: ['SendTaskSuccess'] },
  sweep: {
    runs: ['GetItem', 'PutItem', 'UpdateItem', 'Query'],
    byStatus: true,
    states: ['StartExecution', 'SendTaskSuccess'],
    linkKey: true,
    letters: true,
  },
  'mail-event': { runs: ['GetItem', 'UpdateItem', 'Query'] },
};

export const FUNCTION_NAMES = Object.keys(FUNCTIONS) as FunctionName[];
