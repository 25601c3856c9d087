import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The executions that are not over, on disk: a host that starts learns from it what the one before it left behind. */
export interface Journal {
  /** Inputs by execution name. */
  read(): Map<string, string>;
  add(name: string, input: string): void;
  remove(name: string): void;
}

/** Opens the journal in a folder: one file for each execution. */
export function openJournal(folder: string): Journal {
  mkdirSync(folder, { recursive: true });
  const file = (name: string) => join(folder, `${name}.json`);
  return {
    read: () =>
      new Map(readdirSync(folder).map((entry) => [entry.replace(/\.json$/, ''), readFileSync(join(folder, entry), 'utf8')] as const)),
    add: (name, input) => writeFileSync(file(name), input),
    remove: (name) => rmSync(file(name), { force: true }),
  };
}
