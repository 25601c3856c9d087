/** Times as a reader anywhere understands them. All are ms since the epoch. */

const MINUTE = 60_000;
const UNITS: readonly (readonly [name: string, ms: number])[] = [
  ['day', 24 * 60 * MINUTE],
  ['hour', 60 * MINUTE],
  ['minute', MINUTE],
];

/** Returns a time as `2026-12-04 09:30 UTC`. */
export function moment(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? 'a time beyond all calendars' : `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Says how far a time is from now, rounded towards now: `in 3 days`, `5 minutes ago`. */
export function distance(at: number, now: number): string {
  const span = Math.abs(at - now);
  const [name, ms] = UNITS.find(([, size]) => span >= size) ?? ['', 0];
  if (ms === 0) return at > now ? 'in less than a minute' : 'just now';
  const count = Math.floor(span / ms);
  const words = `${count} ${name}${count === 1 ? '' : 's'}`;
  return at > now ? `in ${words}` : `${words} ago`;
}

/** Says until when an ask takes an answer. */
export const deadline = (expiresAt: number | undefined, now: number): string =>
  expiresAt === undefined ? 'at any time' : `until ${moment(expiresAt)} (${distance(expiresAt, now)})`;
