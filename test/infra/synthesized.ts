import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { HoldfastStack } from '../../infra/stack.ts';

/** The stack's template, without bundled functions. */
export function synthesized(): Template {
  const outdir = mkdtempSync(join(tmpdir(), 'holdfast-synth-'));
  const handlers = join(import.meta.dirname, 'local/handlers');
  try {
    return Template.fromStack(new HoldfastStack(new App({ context: { 'aws:cdk:bundling-stacks': [] }, outdir }), 'Holdfast', { handlers }));
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}
