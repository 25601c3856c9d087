import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { expect, it, onTestFinished } from 'vitest';
import { HoldfastStack } from '../../infra/stack.ts';
import { FUNCTIONS } from '../../shared/functions.ts';

/** Synthesizes the stack with its bundles. Returns their texts. */
function bundles(agents: string, outdir: string): string[] {
  const app = new App({ outdir });
  new HoldfastStack(app, 'Holdfast', { agents });
  app.synth();
  return readdirSync(outdir)
    .filter((name) => name.startsWith('asset.'))
    .map((name) => readFileSync(join(outdir, name, 'index.mjs'), 'utf8'));
}

it('functions of the stack know the agents of the module that is named, and no others', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bundles-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'own-agents.ts'), 'export const agents = [{ name: "of-a-module-of-its-own" }];');
  const texts = bundles(join(folder, 'own-agents.ts'), join(folder, 'cdk.out'));
  expect(texts).toHaveLength(Object.keys(FUNCTIONS).length);
  expect(texts.filter((text) => text.includes('of-a-module-of-its-own')).length).toBeGreaterThan(3);
  expect(texts.filter((text) => text.includes('refund-desk'))).toEqual([]);
});
