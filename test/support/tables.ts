import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HANDLERS } from '../../infra/bundling.ts';
import { blobApi } from '../../infra/local/blob-api.ts';
import { openBlobFolder } from '../../infra/local/blob-folder.ts';
import { readDefinition } from '../../infra/local/definition.ts';
import { listen } from '../../infra/local/loopback.ts';
import { openStore } from '../../infra/local/store.ts';
import { workerEnvironment } from '../../infra/local/worker-environment.ts';

/** Tables and blobs of a test. */
export interface OpenTables {
  close(): Promise<void>;
  /** Puts other bytes in the place of a blob. */
  damage(key: string, bytes: Uint8Array): void;
}

/** Opens the tables on the real engine and points the handlers' code of this process at them. Call it before importing that code. */
export async function openTables(): Promise<OpenTables> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-tables-'));
  const { tables } = await readDefinition(HANDLERS);
  const store = await openStore(folder, tables);
  // Nothing listens at the addresses of other services: tests of stores start no execution and send no mail.
  const { url } = store;
  const blobs = await listen(blobApi(openBlobFolder(join(folder, 'blobs'))));
  const endpoints = { store: url, stepFunctions: url, secrets: url, mail: url, blobs: blobs.url, api: url };
  Object.assign(process.env, workerEnvironment('tool-step', endpoints, {}));
  return {
    damage: (key, bytes) => writeFileSync(join(folder, 'blobs', key), bytes),
    async close() {
      await store.close();
      await blobs.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
