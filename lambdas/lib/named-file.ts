import { fileWords } from '../../shared/file.ts';
import type { Log } from '../../shared/log.ts';
import type { Meta } from '../../shared/meta.ts';
import { type FileName, namedFile } from '../../shared/named-file.ts';
import type { FileBytes } from '../../shared/tool.ts';
import { readFile } from './file-store.ts';

/**
 * Reads a file for a tool. Throws an Error for one that no record of the run names, and for one whose bytes are gone or are
 * others: a tool never gets other bytes than those that were handed in.
 */
export async function readNamed(run: Pick<Meta, 'runId' | 'parent'>, log: Log, name: FileName): Promise<FileBytes> {
  const file = name !== null && name !== undefined ? namedFile(log, name) : undefined;
  if (!file)
    throw new Error(`Cannot read file ${said(name)}: no record of this run names it; use the id that stands beside it, as in "m1_0_f1"`);
  const bytes = await readFile(run, file);
  if (!bytes) throw new Error(`Cannot read file ${said(name)} (${fileWords(file)}): its bytes are gone, or are not those that were kept`);
  return { bytes: new Uint8Array(bytes), mediaType: file.mediaType, ...(file.name === undefined ? {} : { name: file.name }) };
}

/** What a tool asked for, as far as it can be said. */
const said = (name: unknown): string =>
  (typeof name === 'string' ? JSON.stringify(name) : (JSON.stringify(name) ?? String(name))).slice(0, 200);
