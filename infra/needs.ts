import { FUNCTIONS, type FunctionName } from '../shared/functions.ts';

type TableCall = 'GetItem' | 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'Query';
type BlobCall = 'PutObject' | 'GetObject' | 'DeleteObject';
type StatesCall = 'StartExecution' | 'SendTaskSuccess';

/** What a function's code calls; its role allows this and no more. */
export interface Needs {
  /** Calls to the table of runs. */
  readonly runs: readonly TableCall[];
  /** It lists runs by their status. */
  readonly byStatus?: true;
  /** Calls to the table of idempotency records. */
  readonly idempotency?: readonly TableCall[];
  /** Calls to the bucket of large bodies. */
  readonly blobs?: readonly BlobCall[];
  /** It finds the blobs of a run, to remove them. */
  readonly listsBlobs?: true;
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
  'start-run': { runs: ['GetItem', 'PutItem'], blobs: ['PutObject', 'GetObject'], states: ['StartExecution'] },
  'model-step': {
    runs: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query'],
    blobs: ['PutObject', 'GetObject'],
    linkKey: true,
    models: true,
  },
  'tool-step': {
    runs: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query'],
    // Powertools reads a record that is in its way only where the failed put does not show it.
    idempotency: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'],
    blobs: ['PutObject', 'GetObject'],
    linkKey: true,
  },
  ask: {
    runs: ['GetItem', 'PutItem', 'UpdateItem', 'Query'],
    blobs: ['PutObject', 'GetObject'],
    states: ['SendTaskSuccess'],
    linkKey: true,
    letters: true,
  },
  answer: {
    runs: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query'],
    blobs: ['PutObject', 'GetObject'],
    states: ['StartExecution', 'SendTaskSuccess'],
    linkKey: true,
  },
  recover: {
    runs: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query'],
    blobs: ['PutObject', 'GetObject'],
    states: ['StartExecution'],
  },
  'read-runs': { runs: ['GetItem', 'Query'], blobs: ['GetObject'], byStatus: true },
  'steer-run': {
    runs: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query'],
    blobs: ['PutObject', 'GetObject'],
    states: ['StartExecution', 'SendTaskSuccess'],
    linkKey: true,
    letters: true,
  },
  'ask-page': {
    runs: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query'],
    blobs: ['PutObject', 'GetObject'],
    byStatus: true,
    states: ['StartExecution', 'SendTaskSuccess'],
    linkKey: true,
    letters: true,
  },
  'erase-run': {
    runs: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query'],
    blobs: ['GetObject', 'DeleteObject'],
    listsBlobs: true,
    states: ['StartExecution', 'SendTaskSuccess'],
  },
  'import-run': { runs: ['GetItem', 'PutItem', 'UpdateItem'], blobs: ['PutObject', 'GetObject', 'DeleteObject'] },
  callback: {
    runs: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query'],
    blobs: ['PutObject', 'GetObject'],
    states: ['StartExecution', 'SendTaskSuccess'],
    linkKey: true,
  },
  sweep: {
    runs: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query'],
    blobs: ['PutObject', 'GetObject', 'DeleteObject'],
    listsBlobs: true,
    byStatus: true,
    states: ['StartExecution', 'SendTaskSuccess'],
    linkKey: true,
    letters: true,
  },
  'mail-event': { runs: ['GetItem', 'UpdateItem', 'Query'], blobs: ['GetObject'] },
};

export const FUNCTION_NAMES = Object.keys(FUNCTIONS) as FunctionName[];
