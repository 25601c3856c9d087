import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HostInfo } from '../../infra/local/host-options.ts';
import type { FunctionName } from '../../shared/functions.ts';
import { type Child, startChild } from './child.ts';

const SCRIPT = fileURLToPath(new URL('../../infra/local/serve.ts', import.meta.url));
const AGENTS = fileURLToPath(new URL('../../agents/tau-retail/index.ts', import.meta.url));

/** The service as a process of its own, under an address that changes when it is killed. */
export interface Service {
  /** The address of the API as it is now; nobody may answer there. */
  url(): string;
  info(): Promise<HostInfo>;
  /** kill -9 of a process of a function, best one that is at work. Returns false when there was none. */
  killWorker(name: FunctionName): Promise<boolean>;
  /** kill -9 of the service, and a new one on the same data folder. */
  killHost(): Promise<void>;
  /** Ends by itself when it should not have. */
  readonly faults: string[];
  stop(): Promise<void>;
}

/** Starts the service in a folder. */
export async function startService(folder: string, environment: Record<string, string>): Promise<Service> {
  const faults: string[] = [];
  const args = ['--data-dir', join(folder, 'data'), '--port', '0', '--agents', AGENTS];
  const start = () => startChild<{ url: string; controlUrl: string }>({ script: SCRIPT, args, environment, log: join(folder, 'host.log') });
  let child: Child<{ url: string; controlUrl: string }>;
  let meant = false;
  const begin = async () => {
    child = await start();
    meant = false;
    void child.gone.then((how) => meant || faults.push(`the service ended by itself: ${how}`));
  };
  await begin();
  return {
    faults,
    url: () => child.report.url,
    info: async () => (await (await fetch(`${child.report.controlUrl}/info`)).json()) as HostInfo,
    async killWorker(name) {
      const response = await fetch(`${child.report.controlUrl}/kill/${name}`, { method: 'POST' });
      return ((await response.json()) as { pid?: number }).pid !== undefined;
    },
    async killHost() {
      meant = true;
      await child.kill();
      await begin();
    },
    stop() {
      meant = true;
      return child.stop();
    },
  };
}
