import { createHmac, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { awsJson } from '../../../../infra/local/aws-json.ts';
import { type Listening, listen } from '../../../../infra/local/loopback.ts';
import { workerEnvironment } from '../../../../infra/local/worker-environment.ts';
import type { Letter } from '../../../../lambdas/lib/channel/letter.ts';
import { type Hook, startHook } from '../../../support/hook.ts';

const KEY = randomBytes(32);
const SECRETS: Record<string, string> = {
  good: `whsec_${KEY.toString('base64')}\n`,
  short: 'whsec_c2hvcnQ=',
  bare: 'just some text that is no key at all',
};

const letter: Letter = {
  id: '01KB9ZT3N4Q8W2XJ6C5V7R1MHD-7-0',
  to: 'webhook:ops',
  place: 0,
  subject: 'May desk run pay?',
  text: 'May desk run pay?',
  html: '',
  ask: {
    id: '01KB9ZT3N4Q8W2XJ6C5V7R1MHD-7',
    kind: 'approval',
    agent: 'desk',
    runId: '01KB9ZT3N4Q8W2XJ6C5V7R1MHD',
    headline: 'May desk run pay?',
  },
};

let hook: Hook;
let secrets: Listening;
let webhook: typeof import('../../../../lambdas/lib/channel/webhook.ts')['webhook'];
let settings: typeof import('../../../../lambdas/lib/settings.ts')['settings'];
beforeAll(async () => {
  hook = await startHook();
  const operations = { GetSecretValue: ({ SecretId = '' }) => ({ Name: SecretId, SecretString: SECRETS[SecretId] }) };
  secrets = await listen(awsJson({ secretsmanager: { version: '1.1', operations } }));
  const { url } = secrets;
  const endpoints = { store: url, stepFunctions: url, secrets: url, mail: url, blobs: url, api: url };
  Object.assign(process.env, workerEnvironment('ask', endpoints, {}));
  ({ webhook } = await import('../../../../lambdas/lib/channel/webhook.ts'));
  ({ settings } = await import('../../../../lambdas/lib/settings.ts'));
});
afterAll(() => Promise.all([hook?.close(), secrets?.close()]));

const post = (name: string, webhooks: Record<string, string>, key: string) => {
  settings().webhookKey = key;
  return webhook(name, webhooks)(letter);
};

describe('webhook()', () => {
  it('signs with the key of the secret that is named', async () => {
    await post('ops', { ops: hook.url }, 'good');
    const { headers, body } = hook.posted.at(-1) as (typeof hook.posted)[number];
    const signed = createHmac('sha256', KEY).update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`);
    expect(headers).toMatchObject({ 'webhook-id': letter.id, 'webhook-signature': `v1,${signed.digest('base64')}` });
  });

  it.each(['short', 'bare'])('posts nothing when the secret is no key: %s', async (key) => {
    const before = hook.posted.length;
    await expect(post('ops', { ops: hook.url }, key)).rejects.toThrow(
      `Cannot sign webhooks: secret "${key}" must be "whsec_" and the base64 of 24 to 64 random bytes`,
    );
    expect(hook.posted).toHaveLength(before);
  });

  it('says that the agent has no such webhook any more', async () => {
    await expect(post('toString', {}, 'good')).rejects.toThrow('Cannot post to "toString": the agent has no such webhook any more');
  });

  it('says why nobody answered, and not where', async () => {
    const gone = await listen(() => {});
    await gone.close();
    const failure = await post('ops', { ops: `${gone.url}/secret` }, 'good').catch((error: Error) => error);
    expect(String(failure)).toBe('Error: Cannot post to webhook "ops": ECONNREFUSED');
  });
});
