import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { expect, it, onTestFinished } from 'vitest';
import { readSettings } from '../../infra/settings.ts';
import { HoldfastStack } from '../../infra/stack.ts';
import { FUNCTIONS } from '../../shared/functions.ts';

/** Synthesizes the stack with its bundles. Returns their texts. */
function bundles(context: Record<string, string>, outdir: string): string[] {
  const app = new App({ context, outdir });
  new HoldfastStack(app, 'Holdfast', readSettings(app));
  app.synth();
  return readdirSync(outdir)
    .filter((name) => name.startsWith('asset.'))
    .map((name) => readFileSync(join(outdir, name, 'index.mjs'), 'utf8') + readFileSync(join(outdir, name, 'index.mjs.map'), 'utf8'));
}

it('functions of the stack know the agents of the module that the settings name, and no others, and bring maps to their sources', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bundles-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'own-agents.ts'), 'export const agents = [{ name: "of-a-module-of-its-own" }];');
  const texts = bundles({ 'holdfast:agents': join(folder, 'own-agents.ts') }, join(folder, 'cdk.out'));
  expect(texts).toHaveLength(Object.keys(FUNCTIONS).length);
  expect(texts.filter((text) => text.includes('of-a-module-of-its-own')).length).toBeGreaterThan(3);
  expect(texts.filter((text) => text.includes('refund-desk'))).toEqual([]);
});
