import { access, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Metafile } from 'esbuild';
import { FUNCTIONS, type FunctionName } from '../../shared/functions.ts';
import { BUNDLE, ROOT } from '../bundling.ts';
import { CACHE, draftOf, hashOf, writeWhole } from './cache.ts';

export interface BundleOptions {
  /** The folder of the handlers' files. */
  handlers: string;
  /** The module that registers agents, instead of `agents/index.ts`. */
  agents?: string;
}

const BUNDLES = join(CACHE, 'bundles');
/** Bundles of older sources that are kept: other hosts may still start workers from them. */
const KEPT = 16;

/** The file of a function's bundle. */
export const bundleFile = (folder: string, name: FunctionName) => join(folder, `${name}.mjs`);

/** Bundles every handler, unless it was done before from the same sources. Returns the bundles' folder. */
export async function bundle(options: BundleOptions): Promise<string> {
  const list = join(BUNDLES, `${await hashOf(JSON.stringify(options), [])}.json`);
  const known = await folderOf(options, await readList(list)).catch(() => undefined);
  if (known && (await touch(known))) return known;
  const draft = draftOf(join(BUNDLES, 'draft'));
  const sources = sourcesOf(await makeBundles(options, draft));
  await writeWhole(list, JSON.stringify(sources));
  const folder = await place(draft, await folderOf(options, sources));
  await prune();
  return folder;
}

const readList = async (file: string): Promise<string[]> => JSON.parse(await readFile(file, 'utf8').catch(() => '["-"]'));

/** The folder for bundles of these sources as they are now. Fails when one of them is gone. */
const folderOf = async (options: BundleOptions, sources: string[]) =>
  join(BUNDLES, await hashOf(JSON.stringify(options), [...sources, 'package-lock.json', 'infra/bundling.ts', 'infra/local/bundles.ts']));

const touch = (folder: string) =>
  utimes(folder, new Date(), new Date()).then(
    () => true,
    () => false,
  );

/** Without those that `package-lock.json` stands for. */
const sourcesOf = ({ inputs }: Metafile): string[] => Object.keys(inputs).filter((file) => !file.includes('node_modules/'));

/**
 * Bundles every handler into a folder. Returns what went into which bundle. It is done at once, since a bundler that may be
 * awaited stays in memory.
 */
export async function makeBundles({ handlers, agents }: BundleOptions, outdir: string): Promise<Metafile> {
  const esbuild = await import('esbuild');
  const { metafile } = esbuild.buildSync({
    ...BUNDLE,
    mainFields: [...BUNDLE.mainFields],
    banner: { js: BUNDLE.banner },
    entryPoints: Object.keys(FUNCTIONS).map((name) => join(handlers, `${name}.ts`)),
    outdir,
    outExtension: { '.js': '.mjs' },
    absWorkingDir: ROOT,
    bundle: true,
    platform: 'node',
    nodePaths: [join(ROOT, 'node_modules')],
    sourcemap: 'linked',
    metafile: true,
    logLevel: 'silent',
    ...(agents ? { alias: { '#agents': resolve(agents) } } : {}),
  });
  return metafile;
}

/** Puts finished bundles where they are looked for; another process may have been faster. */
async function place(draft: string, folder: string): Promise<string> {
  await rename(draft, folder).catch(async (error) => {
    await rm(draft, { recursive: true });
    await access(folder).catch(() => Promise.reject(error));
  });
  return folder;
}

async function prune(): Promise<void> {
  const entries = (await readdir(BUNDLES, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  // Another host may move or remove one meanwhile: that is not ours to remove.
  const used = entries.map(({ name }) =>
    stat(join(BUNDLES, name)).then(
      ({ mtimeMs }) => [{ name, at: mtimeMs }],
      () => [],
    ),
  );
  const old = (await Promise.all(used))
    .flat()
    .sort((a, b) => b.at - a.at)
    .slice(KEPT);
  await Promise.all(old.map(({ name }) => rm(join(BUNDLES, name), { recursive: true, force: true })));
}
