import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { HoldfastStack } from '../../infra/stack.ts';

/** The stack's template, without bundled functions. It is refused when its resources need each other in a circle. */
export function synthesized(context: Record<string, string> = {}): Template {
  const outdir = mkdtempSync(join(tmpdir(), 'holdfast-synth-'));
  const handlers = join(import.meta.dirname, 'local/handlers');
  try {
    const app = new App({ context: { 'aws:cdk:bundling-stacks': [], ...context }, outdir });
    return Template.fromStack(new HoldfastStack(app, 'Holdfast', { handlers }));
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}
