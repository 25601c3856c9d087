import { fileURLToPath } from 'node:url';

/** The project's folder. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The folder of the handlers: one file per function, named like it. */
export const HANDLERS = `${ROOT}lambdas`;

/** How handlers are bundled, in esbuild's words: the same for cloud and local runner. */
export const BUNDLE = {
  format: 'esm',
  target: 'node24',
  mainFields: ['module', 'main'],
  minify: true,
  /** The AWS SDK, and the code of agents, may ask classes for their names. */
  keepNames: true,
  sourcesContent: false,
  /** CommonJS packages inside an ES module still call `require` for Node's own modules. */
  banner: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`,
} as const;
