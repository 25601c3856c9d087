import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { MAX_INPUT_BYTES } from '../shared/api.ts';
import { longNumberIn } from '../shared/exact-json.ts';
import { isShallow, type Json, MAX_DEPTH } from '../shared/json.ts';
import { oneLine } from './clean.ts';
import { type Terminal, UsageError } from './output.ts';

/** Where the input of a run comes from: exactly one of them. */
export interface InputSources {
  readonly argument?: string | undefined;
  readonly input?: string | undefined;
  readonly file?: string | undefined;
}

/** Reads the input of a run. Throws a UsageError when there is none, more than one, or too much. */
export async function inputFrom(terminal: Terminal, { argument, input, file }: InputSources): Promise<Json> {
  const given = [argument, input, file].filter((source) => source !== undefined);
  if (given.length !== 1)
    throw new UsageError('Cannot start a run: give one input, as text, with --input or --file, or "-" for standard input');
  const text = file === undefined ? await spoken(terminal, (argument ?? input) as string) : readText(resolve(terminal.cwd, file));
  if (text.trim() === '') throw new UsageError('Cannot start a run: the input is blank');
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_INPUT_BYTES)
    throw new UsageError(`Cannot start a run: the input has ${bytes} bytes, and at most ${MAX_INPUT_BYTES} are taken`);
  return parsed(terminal, text);
}

const spoken = async (terminal: Terminal, text: string): Promise<string> =>
  text === '-' ? decode(await terminal.readInput(), 'standard input') : text;

function readText(path: string): string {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new UsageError(`Cannot read the input from ${oneLine(path, 300)}: ${(error as NodeJS.ErrnoException).code ?? 'unreadable'}`);
  }
  return decode(bytes, oneLine(path, 300));
}

function decode(bytes: Uint8Array, source: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`Cannot read the input from ${source}: it is not UTF-8 text`);
  }
}

/** Text that is a JSON object or list becomes one; text that only looks like one is sent as text, and said so. */
function parsed(terminal: Terminal, text: string): Json {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return exact('the input', text, shallow('the input', JSON.parse(text)));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    terminal.err('note: the input looks like JSON but is none; it is sent as text\n');
    return text;
  }
}

/** Reads a JSON value that a person gave. Throws a UsageError that names the option. */
export function jsonOption(name: string, text: string): Json {
  try {
    return exact(name, text, shallow(name, JSON.parse(text)));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`Cannot use ${name} "${oneLine(text, 60)}": it is no JSON (a text needs double quotes inside: '"like this"')`);
  }
}

/** Refuses a number that would lose digits: another one would be sent. */
function exact(name: string, text: string, value: Json): Json {
  const long = longNumberIn(text);
  if (!long) return value;
  const digits = oneLine(long.digits, 60);
  throw new UsageError(`Cannot use ${name}: the number ${digits} has more digits than a number keeps; write it as a text, "${digits}"`);
}

function shallow(name: string, value: unknown): Json {
  if (isShallow(value)) return value;
  throw new UsageError(`Cannot use ${name}: it must be JSON of at most ${MAX_DEPTH} levels and of finite numbers`);
}

/** Reads an amount that a person gave. Throws a UsageError that names the option. */
export function amountOption(name: string, text: string): number {
  if (/^\d+(\.\d+)?$/.test(text) && Number(text) > 0) return Number(text);
  throw new UsageError(`Cannot use ${name} "${oneLine(text, 60)}": it must be a number above 0, such as 20 or 0.5`);
}
