import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Booking, readLedger } from '../../agents/refund-desk/ledger.ts';

const SCRIPT = fileURLToPath(new URL('../../agents/refund-desk/payment-provider.ts', import.meta.url));

/** The payment provider as the process that it is. */
export interface Provider {
  readonly url: string;
  readonly file: string;
  readonly ledger: () => Booking[];
  readonly hold: (hold: boolean) => Promise<void>;
  readonly kept: () => Promise<number>;
  /** Ends it as a crash does; the ledger stays. */
  readonly kill: () => Promise<void>;
  readonly remove: () => Promise<void>;
}

/** Starts the provider on a ledger, a new one unless told otherwise. */
export async function startProvider(file = join(mkdtempSync(join(tmpdir(), 'provider-')), 'ledger.jsonl')): Promise<Provider> {
  const child = spawn(process.execPath, [SCRIPT, '--ledger', file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await firstLine(child);
  const kill = () => killed(child);
  const control = async (init: RequestInit = {}) => (await (await fetch(`${url}/control`, init)).json()) as { kept: number };
  return {
    url,
    file,
    ledger: () => readLedger(file),
    hold: async (hold) => void (await control({ method: 'POST', body: JSON.stringify({ hold }) })),
    kept: async () => (await control()).kept,
    kill,
    remove: async () => {
      await kill();
      rmSync(join(file, '..'), { recursive: true, force: true });
    },
  };
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('The provider has no output');
  for await (const line of createInterface(child.stdout)) return line;
  throw new Error('The provider ended before it said its address');
}

const killed = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
