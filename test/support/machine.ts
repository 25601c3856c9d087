import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Host, type HostOptions, startHost } from '../../infra/local/host.ts';
import { startWorld, type World } from '../runs/world.ts';
import { apiClient } from './api-client.ts';

/** A machine with a world outside it, for one test file. */
export interface Machine {
  readonly world: World;
  readonly dataDir: string;
  /** The host in service; another after a restart. */
  host: Host;
  api: ReturnType<typeof apiClient>;
  /** Stops the host and starts another on the same data; what is given here holds from then on. */
  restart(more?: { readonly agents?: URL; readonly environment?: Record<string, string> }): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a machine whose agents come from a module of the tests, e.g. `../runs/agents.ts`. */
export async function startMachine(agents: URL, options: Partial<HostOptions> = {}): Promise<Machine> {
  const dataDir = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
  const world = await startWorld();
  let now: { agents: URL; environment?: Record<string, string> } = { agents };
  const start = () =>
    startHost({
      dataDir,
      port: 0,
      agents: fileURLToPath(now.agents),
      backoffMs: 10,
      ...options,
      environment: { WORLD_URL: world.url, ...options.environment, ...now.environment },
    });
  const host = await start();
  const machine: Machine = {
    world,
    dataDir,
    host,
    api: apiClient(host.url),
    async restart(more = {}) {
      now = { ...now, ...more };
      await machine.host.stop();
      machine.host = await start();
      machine.api = apiClient(machine.host.url);
    },
    async stop() {
      await machine.host.stop();
      await world.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
  return machine;
}
