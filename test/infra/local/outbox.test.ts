import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { describe, expect, it } from 'vitest';
import { OUTBOX_HEADERS } from '../../../console/headers.ts';
import { DUMMY_CREDENTIALS, REGION } from '../../../infra/local/names.ts';
import { openOutbox } from '../../../infra/local/outbox.ts';
import { send, startScriptedHost, temporaryFolder } from './scripted-host.ts';

const mailOf = (subject: string) => ({
  from: 'a@localhost',
  to: 'b@localhost',
  subject,
  text: subject,
  html: `<p>${subject}</p>`,
  headers: {},
  tags: {},
});

describe('openOutbox()', () => {
  it('shows the newest mail first, and finds each by its id', async () => {
    const folder = temporaryFolder();
    const outbox = openOutbox(folder);
    const ids: string[] = [];
    for (const subject of ['one', 'two', 'three']) {
      ids.push(await outbox.add(mailOf(subject)));
      await setTimeout(2);
    }
    expect((await openOutbox(folder).latest()).map(({ subject }) => subject)).toEqual(['three', 'two', 'one']);
    expect(await outbox.find(ids[1] as string)).toMatchObject({ ...mailOf('two'), id: ids[1], at: expect.any(Number) });
  });

  it('knows nothing of mails that are not there, or only in part', async () => {
    const folder = temporaryFolder();
    const outbox = openOutbox(folder);
    writeFileSync(join(folder, '2026-11-29T00-00-00.000Z-a.json.draft'), '{"id":');
    expect(await outbox.latest()).toEqual([]);
    for (const id of ['a', '', '../link', '%2e%2e']) expect(await outbox.find(id)).toBeUndefined();
  });
});

describe('the pages of the outbox', () => {
  async function hostWithMail() {
    const host = await startScriptedHost();
    const client = new SESv2Client({ endpoint: host.endpoints.mail, region: REGION, credentials: DUMMY_CREDENTIALS });
    const sendMail = async (subject: string) => {
      const content = { Subject: { Data: subject }, Body: { Text: { Data: subject }, Html: { Data: '<b>bold</b>' } } };
      const mail = { FromEmailAddress: 'a@localhost', Destination: { ToAddresses: ['b@localhost'] }, Content: { Simple: content } };
      return (await client.send(new SendEmailCommand(mail))).MessageId as string;
    };
    return { host, ids: [await sendMail('First <mail>'), await sendMail('Second mail')] };
  }

  it('show all mails, or one, with the headers of their kind', async () => {
    const { host, ids } = await hostWithMail();
    const all = await send(host.url, '/outbox');
    expect(all.status).toBe(200);
    expect(Object.fromEntries(all.headers)).toMatchObject(OUTBOX_HEADERS);
    const text = await all.text();
    expect(text).toContain('First &lt;mail&gt;');
    expect(text).toContain('Second mail');
    const one = await (await send(host.url, `/outbox/${ids[0]}`)).text();
    expect(one).toContain('First &lt;mail&gt;');
    expect(one).not.toContain('Second mail');
  });

  it('are for looking only, and only for this machine', async () => {
    const { host, ids } = await hostWithMail();
    const head = await send(host.url, '/outbox', { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([200, OUTBOX_HEADERS['content-type'], '']);
    const posted = await send(host.url, `/outbox/${ids[0]}`, { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect((await send(host.url, '/outbox', { headers: { origin: 'https://example.com' } })).status).toBe(403);
  });

  it.each(['/outbox/none', '/outbox/', '/outbox/a/b', '/outboxes'])('answer %s with a problem', async (path) => {
    const response = await send((await startScriptedHost()).url, path);
    expect([response.status, response.headers.get('content-type')]).toEqual([404, 'application/problem+json']);
  });
});
