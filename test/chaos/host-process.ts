import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Child, type ChildOptions, startAndKill, startChild } from './child.ts';
import type { Deployment, DeploymentOptions } from './deployment.ts';

const SCRIPT = fileURLToPath(new URL('../../infra/local/serve.ts', import.meta.url));
const AGENTS = fileURLToPath(new URL('../../agents/tau-retail/index.ts', import.meta.url));

/** The service as a process of its own, under an address that changes when it is killed. */
export interface HostProcess extends Deployment {
  /** Where other processes of this machine look at it. */
  controlUrl(): string;
  /** kill -9 of the service, and a new one on the same data folder. */
  killHost(): Promise<void>;
  /** The same, and once more when the new one has been starting for this long, ms. */
  killHostTwice(afterMs: number): Promise<void>;
}

type Addresses = { url: string; controlUrl: string };

/** Starts the service in a folder. One that ends by itself is at fault, and is not started again. */
export async function startHostProcess({
  folder,
  environment,
  agents = AGENTS,
  eventLimit,
}: DeploymentOptions & {
  /** The module that registers the agents, instead of the shop's. */
  readonly agents?: string;
}): Promise<HostProcess> {
  const faults: string[] = [];
  const limit = eventLimit === undefined ? [] : ['--event-limit', String(eventLimit)];
  const args = ['--data-dir', join(folder, 'data'), '--port', '0', '--agents', agents, ...limit];
  const options: ChildOptions = { script: SCRIPT, args, environment, log: join(folder, 'host.log') };
  const expected = new Set<Child<Addresses>>();
  const start = async () => {
    const started = await startChild<Addresses>(options);
    void started.gone.then((how) => expected.has(started) || faults.push(`the service ended by itself: ${how}`));
    return started;
  };
  let child = await start();
  return {
    faults,
    url: () => child.report.url,
    controlUrl: () => child.report.controlUrl,
    async killWorker(name) {
      const response = await fetch(`${child.report.controlUrl}/kill/${name}`, { method: 'POST' }).catch(() => undefined);
      return ((await response?.json()) as { pid?: number } | undefined)?.pid !== undefined;
    },
    async killHost() {
      expected.add(child);
      await child.kill();
      child = await start();
    },
    async killHostTwice(afterMs) {
      expected.add(child);
      await child.kill();
      await startAndKill(options, afterMs);
      child = await start();
    },
    stop() {
      expected.add(child);
      return child.stop();
    },
  };
}
