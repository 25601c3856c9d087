import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Message, SESv2Client, SendEmailCommand, type SendEmailCommandInput } from '@aws-sdk/client-sesv2';
import { describe, expect, it } from 'vitest';
import type { Host, HostOptions } from '../../../infra/local/host.ts';
import { DUMMY_CREDENTIALS, REGION } from '../../../infra/local/names.ts';
import type { Mail } from '../../../infra/local/outbox.ts';
import { post, send, startScriptedHost, temporaryFolder } from './scripted-host.ts';

const mailOf = (changes: Partial<SendEmailCommandInput> = {}): SendEmailCommandInput => ({
  FromEmailAddress: 'holdfast@localhost',
  Destination: { ToAddresses: ['a@example.com', 'b@example.com'] },
  EmailTags: [
    { Name: 'ask', Value: 'RUN-7' },
    { Name: 'place', Value: '0' },
  ],
  Content: {
    Simple: {
      Subject: { Data: 'Grüße 🐙', Charset: 'UTF-8' },
      Body: { Text: { Data: 'a\r\nb' }, Html: { Data: '<p>a</p>' } },
      Headers: [{ Name: 'Auto-Submitted', Value: 'auto-generated' }],
    },
  },
  ...changes,
});

const contentWith = (changes: object): Partial<SendEmailCommandInput> => ({
  Content: { Simple: { ...(mailOf().Content?.Simple as Message), ...changes } },
});

const mail = (host: Host, input: SendEmailCommandInput) =>
  new SESv2Client({ endpoint: host.endpoints.mail, region: REGION, credentials: DUMMY_CREDENTIALS, maxAttempts: 1 }).send(
    new SendEmailCommand(input),
  );

async function hostWithOutbox(options: Partial<HostOptions> = {}) {
  const dataDir = temporaryFolder();
  const host = await startScriptedHost({ dataDir, ...options });
  const outbox = join(dataDir, 'outbox');
  const mails = (): Mail[] => readdirSync(outbox).map((name) => JSON.parse(readFileSync(join(outbox, name), 'utf8')));
  return { host, outbox, mails };
}

describe('SendEmail', () => {
  it('puts the whole mail into the outbox, for this user only', async () => {
    const { host, outbox, mails } = await hostWithOutbox();
    const { MessageId } = await mail(host, mailOf());
    expect(mails()).toEqual([
      {
        id: MessageId,
        at: expect.any(Number),
        from: 'holdfast@localhost',
        to: 'a@example.com, b@example.com',
        subject: 'Grüße 🐙',
        text: 'a\r\nb',
        html: '<p>a</p>',
        headers: { 'Auto-Submitted': 'auto-generated' },
        tags: { ask: 'RUN-7', place: '0' },
      },
    ]);
    const [file = ''] = readdirSync(outbox);
    expect(file).toBe(`${new Date(mails()[0]?.at as number).toISOString().replaceAll(':', '-')}-${MessageId}.json`);
    expect(statSync(join(outbox, file)).mode & 0o777).toBe(0o600);
  });

  it('rejects mails to the addresses that fail, and sends them to nobody', async () => {
    const { host, mails } = await hostWithOutbox({ mailFails: (to) => to === 'b@example.com' });
    await expect(mail(host, mailOf())).rejects.toMatchObject({
      name: 'MessageRejected',
      message: expect.stringContaining('b@example.com'),
    });
    expect(mails()).toEqual([]);
    await mail(host, mailOf({ Destination: { ToAddresses: ['a@example.com'] } }));
    expect(mails()).toHaveLength(1);
  });

  it.each<[string, Partial<SendEmailCommandInput>]>([
    ['without a sender', { FromEmailAddress: undefined }],
    ['to nobody', { Destination: { ToAddresses: [] } }],
    ['with copies, which would be lost', { Destination: { ToAddresses: ['a@example.com'], CcAddresses: ['b@example.com'] } }],
    ['with a header in more than one line', contentWith({ Headers: [{ Name: 'X-A', Value: 'a\r\nBcc: b@example.com' }] })],
    ['with a tag that SES does not take', { EmailTags: [{ Name: 'to', Value: 'a@example.com' }] }],
    ['of another kind', { Content: { Raw: { Data: new Uint8Array([1]) } } }],
  ])('refuses a mail %s', async (_, changes) => {
    const { host, mails } = await hostWithOutbox();
    await expect(mail(host, mailOf(changes))).rejects.toMatchObject({ name: 'BadRequestException' });
    expect(mails()).toEqual([]);
  });

  it('refuses what is not JSON, other operations and pages of other sites', async () => {
    const { host } = await hostWithOutbox();
    const path = '/v2/email/outbound-emails';
    expect((await send(host.endpoints.mail, path, { method: 'POST', body: '{' })).status).toBe(400);
    expect((await send(host.endpoints.mail, '/v2/email/account')).status).toBe(404);
    expect((await send(host.endpoints.mail, path, { method: 'POST', headers: { origin: 'https://example.com' } })).status).toBe(403);
  });
});

describe('a function', () => {
  it('finds the key, the sender and the address of the API, and its page passes as it is', async () => {
    const { host, mails } = await hostWithOutbox();
    const page = await send(host.url, '/a/desk');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toBe("default-src 'none'");
    expect(page.headers.getSetCookie()).toEqual(['seen=1; HttpOnly']);
    expect(await page.text()).toBe('<p>GET desk</p>');
    const sent = await send(host.url, '/a/desk', { method: 'POST', redirect: 'manual' });
    expect([sent.status, sent.headers.get('location'), await sent.text()]).toEqual([303, '/a/desk?sent=1', '']);
    expect(mails()).toMatchObject([
      {
        from: 'holdfast@localhost',
        to: 'desk@example.com',
        text: `${host.url}/a/desk`,
        html: expect.stringMatching(/^<p>[\w-]{64}<\/p>$/),
      },
    ]);
  });

  it('answers HEAD with the headers alone, and a path that does not take it says so', async () => {
    const { host } = await hostWithOutbox();
    const head = await send(host.url, '/a/desk', { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([200, 'text/html; charset=utf-8', '']);
    expect((await send(host.url, '/agents', { method: 'HEAD' })).status).toBe(405);
    expect((await post(host.url, '/a', {})).status).toBe(404);
  });
});
