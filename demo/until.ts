import { setTimeout as pause } from 'node:timers/promises';

/** Longer than anything here takes on a slow machine, ms. */
const LIMIT_MS = 60_000;

/** Looks again and again until there is a value. Throws an Error that says what did not come. */
export async function until<T>(what: string, look: () => Promise<T | undefined> | T | undefined): Promise<T> {
  const limit = Date.now() + LIMIT_MS;
  for (;;) {
    const value = await look();
    if (value !== undefined) return value;
    if (Date.now() > limit) throw new Error(`Cannot go on: waited ${LIMIT_MS / 1000} s in vain until ${what}`);
    await pause(20);
  }
}
