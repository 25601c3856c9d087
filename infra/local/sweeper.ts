import { randomUUID } from 'node:crypto';
import type { Erased } from './erased.ts';
import type { LocalFunctions } from './functions.ts';
import { ACCOUNT, REGION } from './names.ts';

/** The schedule that invokes `sweep`. */
export interface Sweeper {
  stop(): void;
}

/** Invokes `sweep` every so many ms, never while it is at work; 0 for never. What it throws is logged. */
export function startSweeper(functions: LocalFunctions, everyMs: number, erased?: Pick<Erased, 'noteSwept'>): Sweeper {
  let timer: NodeJS.Timeout | undefined;
  let stopped = everyMs === 0;
  const later = () => {
    if (!stopped) timer = setTimeout(() => void sweep(functions, erased).then(later), everyMs);
  };
  later();
  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

async function sweep(functions: LocalFunctions, erased: Pick<Erased, 'noteSwept'> | undefined): Promise<void> {
  try {
    const answered = await functions.invoke('sweep', scheduledEvent());
    await erased?.noteSwept(answered);
  } catch (error) {
    if (!functions.stopped()) console.error(`Cannot sweep: ${(error as Error).message}`);
  }
}

/** The event that EventBridge delivers on a schedule. */
const scheduledEvent = (): object => ({
  version: '0',
  id: randomUUID(),
  'detail-type': 'Scheduled Event',
  source: 'aws.events',
  account: ACCOUNT,
  time: new Date().toISOString(),
  region: REGION,
  resources: [`arn:aws:events:${REGION}:${ACCOUNT}:rule/Sweep`],
  detail: {},
});
