import { buffer } from 'node:stream/consumers';
import type { Terminal } from './output.ts';

/** Columns that are filled where nobody says how wide the screen is. */
const DEFAULT_COLUMNS = 140;

/** The streams of this process. */
export const processTerminal = (): Terminal => ({
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  tty: process.stdout.isTTY === true,
  columns: process.stdout.columns || DEFAULT_COLUMNS,
  env: process.env,
  cwd: process.cwd(),
  readInput: () => buffer(process.stdin),
});
