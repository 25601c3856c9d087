import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../infra/bundling.ts';

/** The sender of mails in every assembly. */
export const MAIL_FROM = 'desk@example.test';

/** Synthesizes the stack as a user does, with the agents of a module bundled into its functions. */
export async function synthesize(agents: string, outdir: string, more: Readonly<Record<string, string>> = {}): Promise<void> {
  const settings = { 'holdfast:agents': agents, 'holdfast:mail.from': MAIL_FROM, ...more };
  const context = Object.entries(settings).flatMap((pair) => ['--context', pair.join('=')]);
  const cdk = ['node_modules/aws-cdk/bin/cdk', 'synth', '--quiet', '--no-notices', '--output', outdir, ...context];
  const env = { ...process.env, CDK_DISABLE_CLI_TELEMETRY: 'true' };
  await promisify(execFile)(process.execPath, cdk, { cwd: ROOT, env, maxBuffer: 64 * 1024 * 1024 });
  for (const name of readdirSync(outdir)) if (name.endsWith('.template.json')) allowAsSimulated(join(outdir, name));
}

/** The simulator asks for another permission where an object is removed: it takes that request for the one that begins as it does. */
function allowAsSimulated(template: string): void {
  const text = readFileSync(template, 'utf8');
  writeFileSync(template, text.replaceAll('"s3:DeleteObject"', '"s3:DeleteObject", "s3:AbortMultipartUpload"'));
}
