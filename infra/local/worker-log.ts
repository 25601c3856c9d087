import { closeSync, openSync, renameSync, statSync, writeSync } from 'node:fs';

/** A log that has grown beyond this is put aside at the next chance, replacing the one put aside before. */
const MAX_BYTES = 5_000_000;

/** Opens a function's log to append to. The caller closes it. */
export function openLog(file: string): number {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > MAX_BYTES) renameSync(file, `${file}.1`);
  return openSync(file, 'a');
}

/** Appends a line to a function's log. */
export function appendLog(file: string, line: string): void {
  const log = openLog(file);
  writeSync(log, `${line}\n`);
  closeSync(log);
}
