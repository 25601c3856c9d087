import { createHash } from 'node:crypto';
import { copyFile, link, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { CARRIERS, type FunctionName } from '../../shared/functions.ts';
import { bundleFile } from './bundles.ts';
import { draftOf, writeWhole } from './cache.ts';
import type { MachineDefinition } from './definition.ts';
import { MACHINE_ARN, versionArn } from './names.ts';

/** The code that a run stays on: the state machine, and the bundles of the functions that it invokes. */
export interface Version {
  readonly number: number;
  /** What runs are pinned to. */
  readonly arn: string;
  readonly machine: MachineDefinition;
  readonly bundles: string;
}

/** The versions in a data folder, oldest first. `today` is the one that new runs start on. */
export interface Versions {
  readonly today: Version;
  readonly all: readonly Version[];
}

/** Versions that are kept although no unfinished run needs them: a message may go on with a completed run. */
const KEPT = 10;

const FILE = 'version.json';
const stored = z.object({ hash: z.string(), machine: z.custom<MachineDefinition>((value) => typeof value === 'object' && value !== null) });
type Stored = z.infer<typeof stored>;

/**
 * Opens the versions of a data folder, which no other host uses: what is in service now becomes one more, unless it was
 * there before. Each has its bundles in the folder: those of the cache belong to no run, and go when sources have changed.
 */
export async function openVersions(dataDir: string, machine: MachineDefinition, bundles: string): Promise<Versions> {
  const folder = join(dataDir, 'versions');
  await mkdir(folder, { recursive: true });
  const known = await readVersions(folder);
  const hash = await hashOf(machine, bundles);
  const same = known.find((version) => version.hash === hash);
  const number = same?.number ?? (await nextNumber(dataDir, known));
  if (!same) await keep(join(folder, String(number)), { hash, machine }, bundles);
  const others = known.filter((version) => version !== same);
  // From the cache, where what the engine has compiled is shared by all data folders.
  const today = { number, arn: versionArn(number), machine, bundles };
  return { today, all: [...others, today].toSorted((a, b) => a.number - b.number) };
}

/** A number is given once: a run must not take other code for its own because that came after it was removed. */
async function nextNumber(dataDir: string, known: readonly Version[]): Promise<number> {
  const file = join(dataDir, 'last-version');
  const last = Number(await readFile(file, 'utf8').catch(() => '0')) || 0;
  const next = Math.max(last, ...known.map(({ number }) => number)) + 1;
  await writeWhole(file, String(next));
  return next;
}

/** Removes the versions that nothing needs. `needed` names machines of unfinished runs, and is asked only when there are many. */
export async function pruneVersions(dataDir: string, { today, all }: Versions, needed: () => Promise<ReadonlySet<string>>): Promise<void> {
  const old = all.filter((version) => version !== today).slice(0, -KEPT);
  if (old.length === 0) return;
  const kept = await needed();
  const going = old.filter(({ arn }) => !kept.has(arn));
  await Promise.all(going.map(({ number }) => rm(join(dataDir, 'versions', String(number)), { recursive: true, force: true })));
}

/** The version that an ARN of a state machine names. Runs of older code name none: they go on under today's. */
export const versionFor = ({ today, all }: Versions, arn: string): Version | undefined =>
  arn === MACHINE_ARN ? today : all.find((version) => version.arn === arn);

async function readVersions(folder: string): Promise<(Version & Stored)[]> {
  const entries = await readdir(folder);
  // What a start left behind that was cut off.
  await Promise.all(entries.filter((name) => !NUMBER.test(name)).map((name) => rm(join(folder, name), { recursive: true, force: true })));
  const read = await Promise.all(entries.filter((name) => NUMBER.test(name)).map((name) => readVersion(join(folder, name), Number(name))));
  return read.sort((a, b) => a.number - b.number);
}

const NUMBER = /^[1-9]\d*$/;

async function readVersion(bundles: string, number: number): Promise<Version & Stored> {
  const found = stored.parse(JSON.parse(await readFile(join(bundles, FILE), 'utf8')));
  return { ...found, number, arn: versionArn(number), bundles };
}

async function hashOf(machine: MachineDefinition, bundles: string): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(machine));
  for (const file of filesOf(bundles)) hash.update(await readFile(file).catch(() => ''));
  return hash.digest('hex');
}

const filesOf = (bundles: string): string[] => CARRIERS.map((name: FunctionName) => bundleFile(bundles, name));

/** Complete or not there at all. */
async function keep(folder: string, version: Stored, bundles: string): Promise<void> {
  const draft = draftOf(folder);
  await mkdir(draft);
  const files = filesOf(bundles).flatMap((file) => [file, `${file}.map`]);
  await Promise.all(files.map((file) => place(file, file.replace(bundles, draft))));
  await writeFile(join(draft, FILE), JSON.stringify(version));
  await rename(draft, folder);
}

/** A second name of the same file where that is possible: it costs no room, and stays when the first name goes. */
async function place(from: string, to: string): Promise<void> {
  await link(from, to)
    .catch(() => copyFile(from, to))
    .catch((error: NodeJS.ErrnoException) => {
      // Bundles of tests lack some.
      if (error.code !== 'ENOENT') throw error;
    });
}
