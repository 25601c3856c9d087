import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HANDLERS } from '../../infra/bundling.ts';
import { makeBundles } from '../../infra/local/bundles.ts';
import { readSettings } from '../../infra/settings.ts';
import { HoldfastStack } from '../../infra/stack.ts';
import { FUNCTIONS } from '../../shared/functions.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-bundles-'));
const agents = join(folder, 'own-agents.ts');
let bundles: { code: string; map: string }[];
beforeAll(() => {
  writeFileSync(agents, 'export const agents = [{ name: "of-a-module-of-its-own" }];');
  bundles = synthesize({ 'holdfast:agents': agents }, join(folder, 'cdk.out'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Synthesizes the stack with its bundles. Returns the text of each, and of its map. */
function synthesize(context: Record<string, string>, outdir: string) {
  const app = new App({ context, outdir });
  new HoldfastStack(app, 'Holdfast', readSettings(app));
  app.synth();
  return readdirSync(outdir)
    .filter((name) => name.startsWith('asset.'))
    .map((name) => ({ code: codeOf(join(outdir, name, 'index.mjs')), map: readFileSync(join(outdir, name, 'index.mjs.map'), 'utf8') }));
}

/** The text of a bundle, but for the name of its map. */
const codeOf = (file: string) => readFileSync(file, 'utf8').replace(/\n\/\/# sourceMappingURL=.*\s*$/, '');

describe('functions of the stack', () => {
  it('know the agents of the module that the settings name, and no others, and bring maps to their sources', () => {
    expect(bundles).toHaveLength(Object.keys(FUNCTIONS).length);
    expect(bundles.filter(({ code }) => code.includes('of-a-module-of-its-own')).length).toBeGreaterThan(3);
    expect(bundles.filter(({ code, map }) => `${code}${map}`.includes('refund-desk'))).toEqual([]);
  });

  it('run the code that the local runner runs', async () => {
    const local = join(folder, 'local');
    await makeBundles({ handlers: HANDLERS, agents }, local);
    const here = Object.keys(FUNCTIONS).map((name) => codeOf(join(local, `${name}.mjs`)));
    expect(bundles.map(({ code }) => code).toSorted()).toEqual(here.toSorted());
  });
});
