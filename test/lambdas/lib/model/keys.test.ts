import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { accessVariables, forgetKeys } from '../../../../lambdas/lib/model/keys.ts';
import { askModel } from '../../../../lambdas/lib/model.ts';
import { modelRequest } from '../../../support/model-request.ts';

/** What Secrets Manager answers: a text, or an error by its name. */
let secret: { text: string } | { error: string };
let reads = 0;
let server: Server;

beforeAll(async () => {
  server = createServer((_, response) => {
    reads += 1;
    const [status, body] = 'text' in secret ? [200, { SecretString: secret.text }] : [400, { __type: secret.error }];
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'none');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'none');
});
afterAll(() => {
  vi.unstubAllEnvs();
  server.close();
});

const environment = { HOLDFAST_MODEL_KEYS: 'desk/keys', OPENAI_API_KEY: 'of the environment' };
const anthropic = (key: string) => ({ text: JSON.stringify({ ANTHROPIC_API_KEY: key }) });
beforeEach(async () => {
  await forgetKeys(environment);
  reads = 0;
});

describe('accessVariables()', () => {
  it('are the environment where no secret is named', async () => {
    const plain = { OPENAI_API_KEY: 'of the environment' };
    expect(await accessVariables(plain)).toBe(plain);
    expect(reads).toBe(0);
  });

  it('have the entries of the secret over those of the environment', async () => {
    secret = { text: '{"ANTHROPIC_API_KEY":"a","OPENAI_API_KEY":"o"}' };
    expect(await accessVariables(environment)).toEqual({ ...environment, ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o' });
  });

  it('are read again after five minutes, and at once when they were forgotten', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const key = async () => (await accessVariables(environment)).ANTHROPIC_API_KEY;
    try {
      secret = anthropic('first');
      expect(await key()).toBe('first');
      secret = anthropic('second');
      vi.setSystemTime(Date.now() + 4 * 60_000);
      expect(await key()).toBe('first');
      vi.setSystemTime(Date.now() + 2 * 60_000);
      expect(await key()).toBe('second');
      secret = anthropic('third');
      await forgetKeys(environment);
      expect(await key()).toBe('third');
      expect(reads).toBe(3);
    } finally {
      vi.useRealTimers();
    }
  });

  it.each(['not JSON', '[]', '"key"', '{"ANTHROPIC_API_KEY":5}', '{"ANTHROPIC_KEY":"sk-secret"}', ''])(
    'do not come from a secret of %s',
    async (text) => {
      secret = { text };
      const read = accessVariables(environment);
      await expect(read).rejects.toMatchObject({ name: 'ModelKeysError', message: expect.stringContaining('"desk/keys"') });
      await expect(read).rejects.not.toMatchObject({ message: expect.stringContaining('sk-secret') });
    },
  );

  it.each(['ResourceNotFoundException', 'AccessDeniedException'])('say which secret cannot be read, and why: %s', async (error) => {
    secret = { error };
    await expect(accessVariables(environment)).rejects.toThrow(`secret "desk/keys" cannot be read (${error}); `);
  });

  it('leave what passes by itself to the platform', async () => {
    secret = { error: 'SomethingElse' };
    await expect(accessVariables(environment)).rejects.toMatchObject({ name: 'SomethingElse' });
  });
});

describe('askModel()', () => {
  it('says which secret is missing, once: nobody is asked, and nothing is tried again by itself', async () => {
    secret = { error: 'ResourceNotFoundException' };
    vi.stubEnv('HOLDFAST_MODEL_KEYS', 'desk/keys');
    expect(await askModel(modelRequest('anthropic/claude-x'))).toEqual({
      kind: 'rejected',
      code: 'missing-key',
      reason:
        'Cannot ask anthropic/claude-x: secret "desk/keys" cannot be read (ResourceNotFoundException); make it, or give the model step the right to read it, then resume the run',
    });
    expect(reads).toBe(1);
  });
});
