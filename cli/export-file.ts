import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { EXPORT_VERSION, type ExportHeader, exportHeader, exportTrailer } from '../shared/export.ts';
import { UsageError } from './output.ts';

/** Hashes lines one after another, as the last line of the file says. */
export function lineHash() {
  const hash = createHash('sha256');
  let lines = 0;
  return {
    add(text: string) {
      hash.update(text);
      for (const character of text) if (character === '\n') lines++;
    },
    trailer: () => JSON.stringify({ kind: 'end', lines, sha256: hash.digest('hex') }),
  };
}

/** The lines of a file, without their ends. */
export const linesOf = (file: string): AsyncIterable<string> =>
  createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });

/** Reads the whole file once and returns its header. Throws a UsageError that says what is wrong with the file. */
export async function checkFile(file: string): Promise<ExportHeader> {
  const fail = (why: string) => new UsageError(`Cannot import "${file}": ${why}`);
  const hash = createHash('sha256');
  let header: ExportHeader | undefined;
  let last: string | undefined;
  let lines = 0;
  for await (const line of linesOf(file)) {
    if (!header) header = headerOf(line, fail);
    else {
      if (last !== undefined) {
        hash.update(`${last}\n`);
        lines++;
      }
      last = line;
    }
  }
  if (!header) throw fail('it is empty');
  const trailer = exportTrailer.safeParse(parsed(last ?? ''));
  if (!trailer.success) throw fail('it was cut off: its last line is missing');
  if (trailer.data.lines !== lines || trailer.data.sha256 !== hash.digest('hex'))
    throw fail(`it was changed: its ${lines} lines are not those that were exported`);
  return header;
}

function headerOf(line: string, fail: (why: string) => Error): ExportHeader {
  const found = parsed(line) as { kind?: unknown; version?: unknown } | undefined;
  if (found?.kind !== 'holdfast-export') throw fail('it is no exported run');
  if (Number(found.version) > EXPORT_VERSION)
    throw fail(`its format ${found.version} is newer than ${EXPORT_VERSION}, the newest this version knows`);
  const header = exportHeader.safeParse(found);
  if (!header.success) throw fail(`its first line is damaged: ${header.error.issues[0]?.path.join('.')}`);
  return header.data;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
