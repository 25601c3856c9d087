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
  // Nothing listens at the addresses of other services: tests of stores start no execution and send no mail.
  const { url } = store;
  const endpoints = { store: url, stepFunctions: url, secrets: url, mail: url, api: url };
  Object.assign(process.env, workerEnvironment('tool-step', endpoints, {}));
  return {
    async close() {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
