import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { GetSecretValueCommand, ListSecretsCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { describe, expect, it } from 'vitest';
import type { Host } from '../../../infra/local/host.ts';
import { DUMMY_CREDENTIALS, LINK_KEY, REGION } from '../../../infra/local/names.ts';
import { startScriptedHost, temporaryFolder } from './scripted-host.ts';

const clientOf = (host: Host) =>
  new SecretsManagerClient({ endpoint: host.endpoints.secrets, region: REGION, credentials: DUMMY_CREDENTIALS });
const secret = (host: Host, SecretId: string) => clientOf(host).send(new GetSecretValueCommand({ SecretId }));

describe('GetSecretValue', () => {
  it('gives the key that signs links, by name and by ARN', async () => {
    const host = await startScriptedHost();
    const found = await secret(host, LINK_KEY.ARN);
    expect(found).toMatchObject({ ...LINK_KEY, SecretString: expect.stringMatching(/^[\w-]{64}$/) });
    expect((await secret(host, LINK_KEY.Name)).SecretString).toBe(found.SecretString);
  });

  it('gives the next host of the folder the same key, and another folder another', async () => {
    const dataDir = temporaryFolder();
    const first = await startScriptedHost({ dataDir });
    const { SecretString } = await secret(first, LINK_KEY.ARN);
    await first.stop();
    expect((await secret(await startScriptedHost({ dataDir }), LINK_KEY.ARN)).SecretString).toBe(SecretString);
    expect((await secret(await startScriptedHost(), LINK_KEY.ARN)).SecretString).not.toBe(SecretString);
    expect(readFileSync(join(dataDir, 'link.key'), 'utf8')).toBe(SecretString);
    expect(statSync(join(dataDir, 'link.key')).mode & 0o777).toBe(0o600);
  });

  it('knows no other secret, and no other operation is answered', async () => {
    const host = await startScriptedHost();
    await expect(secret(host, 'other')).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
      message: "Secrets Manager can't find the specified secret.",
    });
    await expect(clientOf(host).send(new ListSecretsCommand({}))).rejects.toMatchObject({ name: 'UnknownOperationException' });
  });
});
