import { afterEach, expect, it, vi } from 'vitest';
import { workerEnvironment } from '../../../infra/local/worker-environment.ts';

const endpoints = {
  store: 'http://s',
  stepFunctions: 'http://f',
  secrets: 'http://k',
  mail: 'http://m',
  blobs: 'http://b',
  api: 'http://a',
};
afterEach(() => vi.unstubAllEnvs());

it('workerEnvironment() keeps the sender and the mail server of the host, and its own services', () => {
  expect(workerEnvironment('ask', endpoints, {})).toMatchObject({
    HOLDFAST_MAIL_FROM: 'holdfast@localhost',
    HOLDFAST_PUBLIC_URL: 'http://a',
  });
  vi.stubEnv('HOLDFAST_MAIL_FROM', 'desk@example.com');
  vi.stubEnv('HOLDFAST_SMTP_URL', 'smtp://mail.example');
  vi.stubEnv('HOLDFAST_PUBLIC_URL', 'http://elsewhere.example');
  expect(workerEnvironment('ask', endpoints, {})).toMatchObject({
    HOLDFAST_MAIL_FROM: 'desk@example.com',
    HOLDFAST_SMTP_URL: 'smtp://mail.example',
    HOLDFAST_PUBLIC_URL: 'http://a',
  });
});
