import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { FileRef } from '../../shared/file.ts';
import { filesOf } from '../../shared/record-files.ts';
import { action, type Context } from '../action.ts';
import { oneLine } from '../clean.ts';
import { EXIT, printJson, printLines, tableLines, UsageError } from '../output.ts';
import { findRun, type Session, unclipped, wholeRun } from '../session.ts';

/** A file of a run, with the record that names it first. */
interface Found extends FileRef {
  readonly seq: number;
  /** Where it was saved. */
  readonly saved?: string;
}

/** Adds `files`: the files of a run, and their bytes. */
export function addFiles(program: Command, context: Context): void {
  program
    .command('files')
    .description('list the files that the records of a run name, each once; with --save write them to a folder')
    .argument('<run>', 'its id, or a unique beginning or end of it')
    .option('--save <folder>', 'write them there; a file that is there already is never replaced')
    .action(
      action<[string], { save?: string }>(context, async (session, { save }, text) => {
        const runId = await findRun(session, text);
        const files = await filesIn(session, runId);
        const shown = save === undefined ? files : await saveAll(session, runId, files, resolve(session.terminal.cwd, save));
        if (session.json) printJson(session.terminal, { runId, files: shown });
        else printLines(session.terminal, tableLines(HEADINGS, shown.map(rowOf), session.paint));
        return EXIT.ok;
      }),
    );
}

const HEADINGS = ['RECORD', 'TYPE', 'BYTES', 'SHA-256', 'NAME'];

const rowOf = ({ seq, mediaType, bytes, sha256, name = '', saved }: Found): string[] => [
  `#${seq}`,
  oneLine(mediaType, 40),
  String(bytes),
  sha256.slice(0, 12),
  oneLine(saved ?? name, 200),
];

async function filesIn(session: Session, runId: string): Promise<Found[]> {
  const found = new Map<string, Found>();
  for (const shown of (await wholeRun(session, runId)).records) {
    const record = await unclipped(session, runId, shown);
    for (const { text: _, ...file } of filesOf(record)) if (!found.has(file.sha256)) found.set(file.sha256, { ...file, seq: record.seq });
  }
  return [...found.values()];
}

async function saveAll(session: Session, runId: string, files: readonly Found[], folder: string): Promise<Found[]> {
  mkdirSync(folder, { recursive: true });
  const saved: Found[] = [];
  for (const file of files) saved.push({ ...file, saved: save(folder, file, await session.client().file(runId, file)) });
  return saved;
}

/** Writes a file under its own name, or with its hash before it where another file has that name. */
function save(folder: string, file: Found, bytes: Buffer): string {
  const name = fileName(file);
  for (const path of [join(folder, name), join(folder, `${file.sha256.slice(0, 12)}-${name}`)]) if (written(path, bytes)) return path;
  throw new UsageError(`Cannot save "${oneLine(name, 200)}" in ${oneLine(folder, 300)}: other files have its name; choose another folder`);
}

/** Names come from models, tools and people: none may lead out of the folder, or hide what it is. */
function fileName({ name, sha256, mediaType }: FileRef): string {
  const plain = (name ?? '')
    .replaceAll(/[\p{Cc}\p{Cf}/\\:*?"<>|]/gu, '_')
    .replace(/^\.+/, '')
    .trim();
  return plain === '' ? `${sha256.slice(0, 12)}.${/^image\/(png|jpeg|gif|webp)$/.exec(mediaType)?.[1] ?? 'bin'}` : plain.slice(0, 150);
}

/** Tells whether the bytes are there now: written, or there before. */
function written(path: string, bytes: Buffer): boolean {
  try {
    writeFileSync(path, bytes, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return isSame(path, bytes);
    throw new UsageError(`Cannot save to ${oneLine(path, 300)}: ${(error as NodeJS.ErrnoException).code ?? 'it cannot be written'}`);
  }
}

function isSame(path: string, bytes: Buffer): boolean {
  try {
    return readFileSync(path).equals(bytes);
  } catch {
    return false;
  }
}
