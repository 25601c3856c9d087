import { existsSync, mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { Level } from 'level';
import * as z from 'zod';

/** What a host writes about itself into its data folder. */
export const hostFile = z.object({ pid: z.number(), port: z.number(), url: z.string(), controlUrl: z.string(), startedAt: z.number() });
export type HostFile = z.infer<typeof hostFile>;

/** The file that a host writes about itself. */
export const hostFileOf = (dataDir: string) => join(dataDir, 'host.json');

/** A data folder that no other host uses. */
export interface DataDir {
  path: string;
  release(): Promise<void>;
}

/** Takes a data folder. The system gives it back when this process ends, however it ends. Throws when it is taken. */
export async function takeDataDir(folder: string): Promise<DataDir> {
  mkdirSync(folder, { recursive: true });
  const path = realpathSync(folder);
  const lock = new Level(join(path, 'lock'));
  await lock.open().catch((error) => {
    if ((error.cause as { code?: string } | undefined)?.code !== 'LEVEL_LOCKED') throw error;
    throw new Error(`Cannot use the folder "${path}": another host uses it${holder(path)}`);
  });
  return { path, release: () => lock.close() };
}

function holder(path: string): string {
  if (!existsSync(hostFileOf(path))) return '';
  const { success, data } = hostFile.safeParse(JSON.parse(readFileSync(hostFileOf(path), 'utf8')));
  return success ? ` (process ${data.pid} at ${data.url})` : '';
}
