import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MODES } from '../../agents/tau-retail/shop/desk.ts';
import { runCampaign } from '../chaos/campaign.ts';
import type { Deployment, DeploymentOptions } from '../chaos/deployment.ts';
import { faultsIn } from '../chaos/report.ts';
import { synthesize } from './assembly.ts';
import type { Finding } from './finding.ts';
import type { Options } from './options.ts';
import { startSigner } from './signer.ts';
import { type Simulator, startSimulator } from './simulator.ts';

const AGENTS = fileURLToPath(new URL('../../agents/tau-retail/index.ts', import.meta.url));

/** Does tasks of the shop while workers are killed: its rows, and every output, must be the true ones. */
export async function serveShop({ simulator, data, seed, tasks, kills }: Options, folder: string): Promise<Finding> {
  const assembly = join(folder, 'shop');
  await synthesize(AGENTS, assembly);
  const options = { data, seed, tasks, kills, modes: MODES, parallel: 8, holdMs: 60, restarts: false, keep: false };
  const { played, faults, seconds } = await runCampaign(options, undefined, (started) => serve(simulator, assembly, started));
  const asked = played.reduce((sum, one) => sum + one.asked.length, 0);
  const found = [...faults, ...played.flatMap(faultsIn)];
  return {
    section: 'the shop',
    name: `${tasks} tasks, ${kills} kills`,
    tried: played.length,
    asked,
    faults: found,
    note: `${seconds.toFixed(0)} s`,
  };
}

/** Holdfast on a simulator, as the campaign sees it. */
async function serve(folder: string, assembly: string, { environment }: DeploymentOptions): Promise<Deployment> {
  const simulator = await startSimulator({ folder, assembly, environment });
  const signer = await startSigner(simulator.apiUrl);
  return {
    url: () => signer.url,
    killWorker: (name) => killWorker(simulator, name),
    faults: [],
    async stop() {
      await signer.close();
      await simulator.stop();
    },
  };
}

async function killWorker(simulator: Simulator, name: string): Promise<boolean> {
  const workers = await simulator.get<Record<string, { pid: number; busy: boolean; alive: boolean }[]>>('workers');
  const [own = []] = Object.entries(workers).flatMap(([physical, all]) => (simulator.nameOf(physical) === name ? [all] : []));
  const alive = own.filter((worker) => worker.alive);
  const chosen = alive.find(({ busy }) => busy) ?? alive[0];
  return chosen !== undefined && wasKilled(chosen.pid);
}

/** A process that ended meanwhile was not killed: another one is, later. */
function wasKilled(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}
