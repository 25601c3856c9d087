import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { HANDLERS } from '../infra/bundling.ts';
import { bundleFile, makeBundles } from '../infra/local/bundles.ts';
import { FUNCTIONS, type FunctionName } from '../shared/functions.ts';
import { median } from './statistics.ts';
import { aligned } from './table.ts';
import { withFolder } from './temporary-folder.ts';

/** What a function's bundle costs. */
export interface BundleCost {
  readonly name: FunctionName;
  /** Without the source map. */
  readonly bytes: number;
  /** ms until a new process has imported it: the median. */
  readonly importMs: number;
}

const FUNCTION_NAMES = Object.keys(FUNCTIONS) as FunctionName[];

/** What a bundle may have, bytes: only the function that asks models carries their providers. */
export const limitOf = (name: FunctionName): number => (name === 'model-step' ? 3_000_000 : 1_000_000);

/** Bundles every function, with the agents of this project, and imports each in `repeats` new processes. */
export const measureBundles = (repeats: number): Promise<BundleCost[]> =>
  withFolder(async (folder) => {
    await makeBundles({ handlers: HANDLERS }, folder);
    return FUNCTION_NAMES.map((name) => {
      const file = bundleFile(folder, name);
      return { name, bytes: statSync(file).size, importMs: median(Array.from({ length: repeats }, () => importMs(file))) };
    });
  });

/** Only the import is timed: what Node itself needs to start is the same for all. */
const PROGRAM = `
const begun = performance.now();
await import(process.argv[1]);
process.stdout.write(String(performance.now() - begun), () => process.exit());`;

function importMs(file: string): number {
  const text = execFileSync(process.execPath, ['--enable-source-maps', '--input-type=module', '--eval', PROGRAM, file], {
    encoding: 'utf8',
    env: { ...process.env, AWS_REGION: 'us-east-1' },
  });
  return Number(text);
}

/** Names each bundle that is too large. */
export const tooLarge = (costs: readonly Pick<BundleCost, 'name' | 'bytes'>[]): string[] =>
  costs
    .filter(({ name, bytes }) => !(bytes <= limitOf(name)))
    .map(({ name, bytes }) => `${name}: bytes of its bundle: ${bytes}, and the limit is ${limitOf(name)}`);

/** Writes what was measured as a table. */
export const bundlesTable = (costs: readonly BundleCost[]): string =>
  aligned([
    ['function', 'bundle', 'limit', 'import'],
    ...costs.map(({ name, bytes, importMs }) => [name, inBytes(bytes), inBytes(limitOf(name)), `${Math.round(importMs)} ms`]),
  ]);

const inBytes = (bytes: number) => `${bytes.toLocaleString('en')} B`;
