import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { type Booking, readLedger } from '../agents/refund-desk/ledger.ts';
import { until } from './until.ts';

const SCRIPT = fileURLToPath(new URL('../agents/refund-desk/payment-provider.ts', import.meta.url));

const counts = z.object({
  pid: z.number(),
  kept: z.number(),
  reads: z.number(),
  asked: z.number(),
  dedupes: z.number(),
  askable: z.number(),
  plain: z.number(),
});
export type Counts = z.infer<typeof counts>;

/** The payment provider: a process that has no part in anybody else's crash. */
export interface Provider {
  readonly url: string;
  readonly pid: number;
  /** False when it was at work already. */
  readonly isNew: boolean;
  readonly ledgerFile: string;
  /** What it has booked, read from its own file. */
  readonly ledger: () => Booking[];
  readonly counts: () => Promise<Counts>;
  /** From now on: book what is new, but keep the response back; or let all responses go. */
  readonly hold: (hold: boolean) => Promise<void>;
  readonly stop: () => void;
}

/** Starts the provider whose ledger lies in this folder, or finds the one that an earlier start left at work. */
export async function startProvider(folder: string): Promise<Provider> {
  mkdirSync(folder, { recursive: true });
  return (await found(folder)) ?? (await started(folder));
}

async function found(folder: string): Promise<Provider | undefined> {
  try {
    const { url } = JSON.parse(readFileSync(infoFile(folder), 'utf8')) as { url: string };
    const { pid } = await control(url);
    return providerAt(url, pid, folder);
  } catch {
    return undefined; // None was started here, or it is gone.
  }
}

async function started(folder: string): Promise<Provider> {
  const log = openSync(join(folder, 'log'), 'a');
  const args = [SCRIPT, '--ledger', ledgerFile(folder), '--info', infoFile(folder)];
  // A group of its own: a signal for the service, such as Ctrl-C, is none for the provider.
  const child = spawn(process.execPath, args, { detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  child.unref();
  return until('the payment provider answers', async () => {
    const provider = await found(folder);
    return provider && provider.pid === child.pid ? { ...provider, isNew: true } : undefined;
  });
}

const infoFile = (folder: string) => join(folder, 'provider.json');
const ledgerFile = (folder: string) => join(folder, 'ledger.jsonl');

const providerAt = (url: string, pid: number, folder: string): Provider => ({
  url,
  pid,
  isNew: false,
  ledgerFile: ledgerFile(folder),
  ledger: () => readLedger(ledgerFile(folder)),
  counts: () => control(url),
  hold: async (hold) => void (await control(url, { method: 'POST', body: JSON.stringify({ hold }) })),
  stop: () => void process.kill(pid, 'SIGTERM'),
});

const control = async (url: string, init: RequestInit = {}): Promise<Counts> =>
  counts.parse(await (await fetch(`${url}/control`, init)).json());
