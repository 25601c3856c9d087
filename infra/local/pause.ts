import { setTimeout } from 'node:timers/promises';

/** The longest that a timer of Node holds, ms. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Waits, however long. Rejects when the signal is aborted. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  for (let left = ms; left > 0; left -= MAX_TIMER_MS) await setTimeout(Math.min(left, MAX_TIMER_MS), undefined, signal ? { signal } : {});
}
