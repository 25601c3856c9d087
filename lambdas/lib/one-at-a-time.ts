import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import type { Context } from 'aws-lambda';
import type { Json } from '../../shared/json.ts';
import { dynamo, type Key } from './dynamo.ts';
import { settings } from './settings.ts';

/** Idempotency records outlive the longest run (a year) and the time in which Step Functions can redrive it (14 days). */
const KEPT_SECONDS = (366 + 14) * 24 * 3600;

/**
 * Runs `perform` under Powertools' lock: at most one attempt at a key at a time, and none once an outcome is recorded.
 * The lock ends at `deadline` (ms since the epoch); `afresh` lifts the lock of an attempt that the ledger has taken over.
 * Answers `busy` while another attempt holds the lock, `replayed` when the ledger has the outcome already.
 * `perform` must not throw once the effect may have begun: a throw would lift the lock.
 */
export async function oneAtATime(
  key: Key,
  deadline: number,
  afresh: boolean,
  perform: () => Promise<void>,
): Promise<'ran' | 'replayed' | 'busy'> {
  const payload = { key: `${key.pk}/${key.sk}` };
  const config = new IdempotencyConfig({ eventKeyJmesPath: 'key', throwOnNoIdempotencyKey: true, expiresAfterSeconds: KEPT_SECONDS });
  config.registerLambdaContext({ getRemainingTimeInMillis: () => Math.max(1, deadline - Date.now()) } as Context);
  // One layer a call: a shared one mixes up concurrent keys.
  const persistenceStore = new DynamoDBPersistenceLayer({ tableName: settings().idempotencyTable, awsSdkV3Client: dynamo });
  persistenceStore.configure({ config, keyPrefix: KEY_PREFIX });
  if (afresh) await persistenceStore.deleteRecord(payload);
  let ran = false;
  const guarded = async (_: Json) => {
    ran = true;
    await perform();
    return { recorded: true };
  };
  const free = await isFree(() => makeIdempotent(guarded, { persistenceStore, config, keyPrefix: KEY_PREFIX })(payload));
  if (!free) return 'busy';
  return ran ? 'ran' : 'replayed';
}

const KEY_PREFIX = 'holdfast';

async function isFree(run: () => Promise<unknown>): Promise<boolean> {
  try {
    await run();
    return true;
  } catch (error) {
    // By name: Powertools may be loaded twice.
    if ((error as Error)?.name === 'IdempotencyAlreadyInProgressError') return false;
    throw error;
  }
}

/** Powertools has a switch that turns every lock off without a word. Throws when it is set. */
export function assertLocksAreOn(variables: NodeJS.ProcessEnv): void {
  if (variables.POWERTOOLS_IDEMPOTENCY_DISABLED)
    throw new Error('Cannot run tools: POWERTOOLS_IDEMPOTENCY_DISABLED is set, which turns the guard against double effects off; unset it');
}
