import { fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';

/** How far the provider goes to keep a caller from doing a thing twice. */
export const MODES = ['dedupes', 'askable', 'plain'] as const;
export type Mode = (typeof MODES)[number];

/** One thing that the provider did: money moved, or a mail sent. */
export interface Booking {
  readonly id: string;
  readonly kind: 'refund' | 'mail';
  readonly mode: Mode;
  /** The caller's key, if it gave one. */
  readonly key?: string;
  /** When, ms since the epoch. */
  readonly at: number;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface Ledger {
  readonly bookings: readonly Booking[];
  /** Books a thing: when this returns, it is on the disk. */
  readonly book: (booking: Omit<Booking, 'id' | 'at'>) => Booking;
  readonly find: (mode: Mode, key: string) => Booking | undefined;
}

/** Reads a ledger's file, one JSON document a line; a last line that a crash cut off never was a booking. */
export function readLedger(file: string): Booking[] {
  return textOf(file)
    .split('\n')
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as Booking];
      } catch {
        return [];
      }
    });
}

/** Opens a ledger. One process may write to it. */
export function openLedger(file: string): Ledger {
  const bookings = readLedger(file);
  const torn = !/(^|\n)$/.test(textOf(file));
  const handle = openSync(file, 'a');
  if (torn) writeSync(handle, '\n');
  const book = (given: Omit<Booking, 'id' | 'at'>): Booking => {
    const booking = { id: `${given.kind}-${bookings.length + 1}`, ...given, at: Date.now() };
    writeSync(handle, `${JSON.stringify(booking)}\n`);
    fsyncSync(handle);
    bookings.push(booking);
    return booking;
  };
  return { bookings, book, find: (mode, key) => bookings.find((one) => one.mode === mode && one.key === key) };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // The first start: nothing is booked yet.
  }
}
