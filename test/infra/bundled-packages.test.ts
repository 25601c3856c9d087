import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HANDLERS } from '../../infra/bundling.ts';
import { bundleFile, makeBundles } from '../../infra/local/bundles.ts';
import { FUNCTION_NAMES, NEEDS, type Needs } from '../../infra/needs.ts';
import type { FunctionName } from '../../shared/functions.ts';

/** What every function may hold: the client of its table, and what that is made of. */
const COMMON = /^(zod|ulid|mnemonist|obliterator|@aws\/lambda-invoke-store|@smithy\/.+|@aws-sdk\/(?!client-).+|@aws-sdk\/client-dynamodb)$/;

/** The packages that only functions with a need hold. */
function packagesFor({ states, linkKey, letters, models, idempotency }: Needs): string[] {
  return [
    ...(states ? ['@aws-sdk/client-sfn'] : []),
    ...(linkKey || models ? ['@aws-sdk/client-secrets-manager'] : []),
    ...(letters ? ['@aws-sdk/client-sesv2', 'nodemailer'] : []),
    ...(idempotency ? ['commons', 'idempotency', 'jmespath'].map((name) => `@aws-lambda-powertools/${name}`) : []),
    ...(models ? MODEL_PACKAGES : []),
  ].toSorted();
}

const MODEL_PACKAGES = [
  ...['amazon-bedrock', 'anthropic', 'openai', 'openai-compatible', 'provider', 'provider-utils'].map((name) => `@ai-sdk/${name}`),
  '@workflow/serde',
  'aws4fetch',
  'eventsource-parser',
];

const folder = mkdtempSync(join(tmpdir(), 'holdfast-packages-'));
let outputs: Metafile['outputs'];
beforeAll(async () => {
  ({ outputs } = await makeBundles({ handlers: HANDLERS }, folder));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The files of packages of which a function's bundle holds anything, from the packages' folders on. */
function packageFiles(name: FunctionName): string[] {
  const output = Object.entries(outputs).find(([file]) => bundleFile('', name) === file.slice(file.lastIndexOf('/') + 1))?.[1];
  const held = Object.entries(output?.inputs ?? {}).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  return held.flatMap(([file]) => file.split('node_modules/').slice(1).slice(-1));
}

const packageOf = (file: string) => /^(@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? '';

describe.each(FUNCTION_NAMES)('%s', (name) => {
  it('holds the packages of what it needs, and no others', () => {
    const packages = new Set(packageFiles(name).map(packageOf));
    expect(packages).toContain('@aws-sdk/client-dynamodb');
    expect([...packages].filter((each) => !COMMON.test(each)).toSorted()).toEqual(packagesFor(NEEDS[name]));
  });

  it('holds no languages of zod but English, unless a provider brings them: `import * as z` leaves out what is not used', () => {
    const languages = packageFiles(name).filter((file) => file.startsWith('zod/v4/locales/') && !file.endsWith('/index.js'));
    expect(languages).toContain('zod/v4/locales/en.js');
    expect(languages.length).toBeLessThanOrEqual(NEEDS[name].models ? Number.POSITIVE_INFINITY : 1);
  });
});
