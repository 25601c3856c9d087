import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The executions that are not over, on disk: a host that starts learns from it what the one before it left behind. */
export interface Journal {
  /** Inputs by execution name. */
  read(): Map<string, string>;
  add(name: string, input: string): void;
  remove(name: string): void;
}

const ENDING = '.json';

/** Opens the journal in a folder: one file for each execution, which is there whole or not at all. */
export function openJournal(folder: string): Journal {
  mkdirSync(folder, { recursive: true });
  const file = (name: string) => join(folder, `${name}${ENDING}`);
  return {
    read: () =>
      new Map(
        readdirSync(folder)
          .filter((entry) => entry.endsWith(ENDING))
          .map((entry) => [entry.slice(0, -ENDING.length), readFileSync(join(folder, entry), 'utf8')] as const),
      ),
    // A host that is killed while it writes leaves a draft behind, which stands for nothing: its execution was not acknowledged.
    add(name, input) {
      const draft = `${file(name)}.draft`;
      writeFileSync(draft, input);
      renameSync(draft, file(name));
    },
    remove: (name) => rmSync(file(name), { force: true }),
  };
}
