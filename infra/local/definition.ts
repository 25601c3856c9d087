import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ROOT } from '../bundling.ts';
import { CACHE, hashOf, writeWhole } from './cache.ts';

/** A table as DynamoDB's CreateTable takes it, under the name of its construct. */
export interface TableDefinition {
  name: string;
  create: Record<string, unknown>;
}

/** One state of a machine, as far as the runner looks into it. */
export interface StateDefinition extends Record<string, unknown> {
  Type: string;
}

export interface MachineDefinition {
  StartAt: string;
  States: Record<string, StateDefinition>;
}

/** What the runner takes from the synthesized stack. Functions are named in it as in `shared/functions.ts`. */
export interface Definition {
  machine: MachineDefinition;
  tables: TableDefinition[];
}

/** Reads the stack's state machine and tables; synthesizes the stack only when its sources changed since the last time. */
export async function readDefinition(handlers: string): Promise<Definition> {
  const files = [...(await sources('infra')), ...(await sources('shared')), 'infra/local/synthesize.ts', 'package-lock.json'];
  const file = join(CACHE, 'definitions', `${await hashOf('', files)}.json`);
  const cached = await readFile(file, 'utf8').catch(() => undefined);
  if (cached) return JSON.parse(cached);
  const definition = await synthesizeApart(handlers);
  await writeWhole(file, definition);
  return JSON.parse(definition);
}

/** In a process of its own: CDK takes hundreds of megabytes that a host would keep. */
async function synthesizeApart(handlers: string): Promise<string> {
  const script = fileURLToPath(new URL('./synthesize.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script, handlers], { maxBuffer: 16 * 1024 * 1024 });
  return stdout;
}

const sources = async (folder: string) =>
  (await readdir(join(ROOT, folder))).filter((name) => name.endsWith('.ts')).map((name) => `${folder}/${name}`);
