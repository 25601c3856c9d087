import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HANDLERS } from '../../infra/bundling.ts';
import { readDefinition } from '../../infra/local/definition.ts';
import { openStore } from '../../infra/local/store.ts';
import { workerEnvironment } from '../../infra/local/worker-environment.ts';

/** Opens the tables on the real engine and points the handlers' code of this process at them. Call it before importing that code. */
export async function openTables(): Promise<{ close(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-tables-'));
  const { tables } = await readDefinition(HANDLERS);
  const store = await openStore(folder, tables);
  // Nothing listens at the address of Step Functions: tests of stores start no execution.
  Object.assign(process.env, workerEnvironment('tool-step', { store: store.url, stepFunctions: store.url }, {}));
  return {
    async close() {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
