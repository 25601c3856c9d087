import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import type { GivenSettings } from '../../infra/settings.ts';
import { HoldfastStack } from '../../infra/stack.ts';

const cdk = JSON.parse(readFileSync(join(import.meta.dirname, '../../cdk.json'), 'utf8')) as { context: Record<string, unknown> };
/** CDK's own switches, as a deployment has them. */
const SWITCHES = Object.fromEntries(Object.entries(cdk.context).filter(([name]) => name.startsWith('@')));

/** Handlers that are small to bundle. */
export const HANDLERS = join(import.meta.dirname, 'local/handlers');

/** Makes an app without bundled functions, and hands it over. */
export function withApp<T>(use: (app: App) => T, context: Record<string, unknown> = {}): T {
  const outdir = mkdtempSync(join(tmpdir(), 'holdfast-synth-'));
  try {
    return use(new App({ context: { 'aws:cdk:bundling-stacks': [], ...SWITCHES, ...context }, outdir }));
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

/** The stack's template. It is refused when its resources need each other in a circle. */
export const synthesized = (settings: GivenSettings = {}): Template =>
  withApp((app) => Template.fromStack(new HoldfastStack(app, 'Holdfast', { ...settings, handlers: HANDLERS })));
