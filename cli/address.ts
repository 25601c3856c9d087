import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Terminal } from './output.ts';

/** Where the service on this machine listens unless told otherwise. */
export const DEFAULT_ADDRESS = 'http://127.0.0.1:4545';

/** What the service on this machine writes about itself, as far as it matters here. */
const hostFile = z.object({ url: z.string() });

/** The address of the service: as told, else HOLDFAST_URL, else the one that runs in this folder, else the default. */
export const addressFor = (terminal: Terminal, told: string | undefined): string =>
  told ?? (terminal.env.HOLDFAST_URL || localAddress(terminal.cwd) || DEFAULT_ADDRESS);

function localAddress(folder: string): string | undefined {
  try {
    return hostFile.parse(JSON.parse(readFileSync(join(folder, '.holdfast', 'data', 'host.json'), 'utf8'))).url;
  } catch {
    return undefined; // No service was started here: the default address is as good a guess as any.
  }
}
