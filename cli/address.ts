import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

/** Where the service on this machine listens unless told otherwise. */
export const DEFAULT_ADDRESS = 'http://127.0.0.1:4545';

/** What the service on this machine writes about itself, as far as it matters here. */
const hostFile = z.object({ url: z.string() });

/** The address of the service that was started in this folder, else the default. */
export function localAddress(folder: string): string {
  try {
    return hostFile.parse(JSON.parse(readFileSync(join(folder, '.holdfast', 'data', 'host.json'), 'utf8'))).url;
  } catch {
    return DEFAULT_ADDRESS; // No service was started here: the default address is as good a guess as any.
  }
}
