import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DeskReport } from '../../agents/tau-retail/shop/desk.ts';
import { startChild } from './child.ts';

const SCRIPT = fileURLToPath(new URL('../../agents/tau-retail/shop.ts', import.meta.url));

/** The shop, as the campaign sees it: with its journal. */
export interface ShopProcess {
  readonly url: string;
  /** What happened for a run. */
  journal(runId: string): Promise<DeskReport>;
  /** The runs that came to the shop. */
  visitors(): Promise<string[]>;
  stop(): Promise<void>;
}

/** Starts the shop as a process that no kill touches. */
export async function startShopProcess(data: string, folder: string, holdMs: number): Promise<ShopProcess> {
  const args = ['--data', data, '--hold-ms', String(holdMs)];
  const child = await startChild<{ url: string }>({ script: SCRIPT, args, log: join(folder, 'shop.log') });
  const { url } = child.report;
  return {
    url,
    journal: async (runId) => (await (await fetch(`${url}/journal/${runId}`)).json()) as DeskReport,
    visitors: async () => ((await (await fetch(`${url}/journal`)).json()) as { desks: string[] }).desks,
    stop: child.kill,
  };
}
