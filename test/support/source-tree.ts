import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository as text: its files, and what they import. */

export const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');
/** Made by tools, or not ours. */
const LEFT_OUT = new Set(['node_modules', '.git', '.holdfast', 'cdk.out', 'coverage']);

/** Lists every file, as a path from the root with slashes. */
export const files: readonly string[] = filesIn(ROOT).map((path) => relative(ROOT, path).split(sep).join('/'));

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !LEFT_OUT.has(name))
    .flatMap((each) => (each.isDirectory() ? filesIn(join(folder, each.name)) : each.isFile() ? [join(folder, each.name)] : []));
}

export const sources = files.filter((file) => /\.(ts|tsx|mts|js|mjs)$/.test(file));

export const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** One import: of a package by its name, or of a file by its path from the root. */
export interface Import {
  readonly from: string;
  readonly target: string;
  /** Gone when the types are stripped. */
  readonly typeOnly: boolean;
}

const STATIC = /^\s*(?:import|export)\s+(type\s+)?(?:[\w*\s{},$]*?\s*from\s*)?['"]([^'"]+)['"]/gm;
const DYNAMIC = /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g;

/** Reads the imports of a source file: static, re-exported and dynamic. */
export function importsOf(file: string): Import[] {
  const text = read(file);
  const fixed = [...text.matchAll(STATIC)].map(([, type, target]) => ({ target: target as string, typeOnly: type !== undefined }));
  const dynamic = [...text.matchAll(DYNAMIC)].map(([, target]) => ({ target: target as string, typeOnly: false }));
  return [...fixed, ...dynamic].map(({ target, typeOnly }) => ({ from: file, target: resolved(file, target), typeOnly }));
}

/** `#agents` is the name by which a deployment finds its agents. */
function resolved(file: string, target: string): string {
  if (target === '#agents') return 'agents/index.ts';
  return target.startsWith('.') ? posix.normalize(posix.join(dirname(file), target)) : target;
}

/** The code without comments and without the text in quotes. */
export const codeOf = (file: string): string =>
  read(file).replace(/\/\*[\s\S]*?\*\/|\/\/.*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g, (found) => (found.startsWith('/') ? '' : "''"));

/** Finds the shortest way round among imports, or undefined. */
export function cycleIn(imports: readonly Import[]): string[] | undefined {
  const targets = Map.groupBy(imports, ({ from }) => from);
  const done = new Set<string>();
  const visit = (file: string, path: string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const { target } of targets.get(file) ?? []) {
      const cycle = visit(target, [...path, file]);
      if (cycle) return cycle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of targets.keys()) {
    const cycle = visit(file, []);
    if (cycle) return cycle;
  }
  return undefined;
}
