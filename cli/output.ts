import { styleText } from 'node:util';
import { oneLine, safeJson } from './clean.ts';

/** Where a command reads and writes: the process's own streams, or a test's. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** True when a person looks at the output. */
  readonly tty: boolean;
  readonly columns: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly readInput: () => Promise<Uint8Array>;
}

export type Style = 'dim' | 'bold' | 'red' | 'green' | 'yellow' | 'cyan';
/** Colours a text, or leaves it as it is. */
export type Paint = (style: Style, text: string) => string;

export const plain: Paint = (_style, text) => text;
const coloured: Paint = (style, text) => styleText(style, text, { validateStream: false });

/** Colours only where a person looks, and only if that person has not said no (https://no-color.org). */
export const paintFor = (terminal: Terminal): Paint =>
  terminal.tty && !terminal.env.NO_COLOR && terminal.env.TERM !== 'dumb' ? coloured : plain;

/** Exit codes, as the help and the documentation give them. */
export const EXIT = { ok: 0, failed: 1, usage: 2, unreachable: 3, waiting: 4, interrupted: 130 } as const;

/** A command was used wrongly; the message says how to use it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Writes a value as one JSON document. */
export const printJson = (terminal: Terminal, value: unknown): void => terminal.out(`${safeJson(value, 2)}\n`);

/** Writes a value as one line of JSON. */
export const printJsonLine = (terminal: Terminal, value: unknown): void => terminal.out(`${safeJson(value)}\n`);

export const printLines = (terminal: Terminal, lines: readonly string[]): void => {
  if (lines.length > 0) terminal.out(`${lines.join('\n')}\n`);
};

/** Sets rows under headings, each column as wide as its widest cell but the last. */
export function tableLines(headings: readonly string[], rows: readonly (readonly string[])[], paint: Paint): string[] {
  const widths = headings.map((heading, i) => Math.max(heading.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => (i === cells.length - 1 ? cell : cell.padEnd(widths[i] ?? 0)))
      .join('  ')
      .trimEnd();
  return [paint('dim', line(headings)), ...rows.map(line)];
}

/** How long, for a reader: `40ms`, `1.2s`, `12s`, `3m05s`, `2h10m`, `4d03h`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 1) return `${Math.round(seconds * 1000)}ms`;
  if (seconds < 10) return `${seconds.toFixed(1)}s`;
  if (seconds < 60) return `${Math.floor(seconds)}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m${two(seconds % 60)}s`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h${two((seconds % 3600) / 60)}m`;
  return `${Math.floor(seconds / 86_400)}d${two((seconds % 86_400) / 3600)}h`;
}

const two = (n: number): string => String(Math.floor(n)).padStart(2, '0');

/** The sentence of an error, safe to show. */
export const sentenceOf = (error: unknown): string => oneLine(error instanceof Error ? error.message : String(error), 2_000);
