import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AskSummary, NoticeSummary, RunSummary } from '../../shared/api.ts';
import { askIn } from '../support/api-client.ts';
import { type Hook, startHook } from '../support/hook.ts';
import { type Machine, startMachine } from '../support/machine.ts';
import { type Smtp, startSmtp } from '../support/smtp.ts';

let machine: Machine;
let smtp: Smtp;
let hook: Hook;
beforeAll(async () => {
  [smtp, hook] = await Promise.all([startSmtp(), startHook()]);
  machine = await startMachine(new URL('./notice-agents.ts', import.meta.url), {
    sweepMs: 200,
    environment: { HOOK_URL: hook.url, HOLDFAST_SMTP_URL: smtp.url },
  });
});
afterAll(() => Promise.all([machine?.stop(), smtp?.close(), hook?.close()]));
afterEach(() => {
  smtp.refused = [];
  hook.answer = { status: 200 };
});

const mailsOf = (runId: string) => smtp.mails.filter(({ text }) => text.includes(runId));
const postsOf = (runId: string) => hook.posted.filter(({ body }) => body.includes(runId));
const linkIn = (text: string) => new URL(/https?:\/\/\S+\/a\/\S+/.exec(text)?.[0] ?? '');

/** Starts a run and waits until it waits. */
async function asking(agent: string, input = 'pay a') {
  const runId = await machine.api.start(agent, input);
  const run = await machine.api.until(runId, 'waiting');
  return { runId, run };
}

const noticesOf = async (runId: string) =>
  (await machine.api.call<{ asks: AskSummary[] }>('GET', '/asks')).body.asks.find((ask) => ask.runId === runId)?.notices;

/** The form of a page: fills it in and sends it. */
async function formOf(link: URL) {
  const html = await (await fetch(link)).text();
  const hidden = [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(
    ([, name, value]) => [name, value] as [string, string],
  );
  const action = new URL(/<form[^>]* action="([^"]+)"/.exec(html)?.[1] ?? '', link);
  return (given: Record<string, string>) =>
    fetch(action, { method: 'POST', body: new URLSearchParams([...hidden, ...Object.entries(given)]), redirect: 'manual' });
}
const send = async (link: URL, given: Record<string, string>) => (await formOf(link))(given);

describe('mail by SMTP', () => {
  it('carries a link whose form decides', async () => {
    const { runId } = await asking('told');
    await expect.poll(() => mailsOf(runId), { timeout: 20_000 }).toHaveLength(1);
    const [mail] = mailsOf(runId);
    expect(mail).toMatchObject({ from: 'holdfast@localhost', to: 'ada@example.test' });
    for (const header of [/^Message-ID: <\w+-\d+-0@localhost>/im, /^References: <run-\w+@holdfast>/im, /^Auto-Submitted: auto-generated/im])
      expect(mail?.raw).toMatch(header);
    expect(mail?.raw).toMatch(/^Content-Type: text\/html/im);
    expect((await send(linkIn(mail?.text ?? ''), { 'decision.0': 'approve' })).status).toBe(303);
    await machine.api.until(runId, 'completed');
    expect((await machine.api.records(runId)).find(({ type }) => type === 'answer')).toMatchObject({
      by: 'ada@example.test',
      via: 'mail link',
    });
  });

  it('that is refused shows the words of the server, and its password nowhere', async () => {
    smtp.refused = ['ada@example.test'];
    const { runId } = await asking('told');
    await expect
      .poll(() => noticesOf(runId))
      .toMatchObject([
        {
          recipient: 'ada@example.test',
          state: 'failed',
          error: expect.stringContaining('No such user here'),
          nextTryAt: expect.any(Number),
        },
      ]);
    expect(mailsOf(runId)).toEqual([]);
    expect(allLogs()).not.toContain('p@ss');
  });
});

const allLogs = () =>
  readdirSync(join(machine.dataDir, 'logs'))
    .map((name) => readFileSync(join(machine.dataDir, 'logs', name), 'utf8'))
    .join('');

describe('a webhook', () => {
  it('is posted the whole message, what it is about, and a link', async () => {
    const { runId, run } = await asking('hooked', 'pay <!channel> & *all* <https://evil.test|here>');
    await expect.poll(() => postsOf(runId), { timeout: 20_000 }).toHaveLength(1);
    const { path, headers, body } = postsOf(runId)[0] as (typeof hook.posted)[number];
    const { text, ask, link, ...rest } = JSON.parse(body);
    expect([path, headers['content-type'], rest]).toEqual(['/T0/secret-path', 'application/json', { mrkdwn: false }]);
    expect(ask).toEqual({
      id: run.ask?.id,
      kind: 'approval',
      agent: 'hooked',
      runId,
      headline: 'May hooked run pay?',
      expiresAt: askIn(await machine.api.records(runId)).questions[0]?.expiresAt,
    });
    expect(text).toContain('item: &lt;!channel&gt; &amp; *all* &lt;https[:]//evil[.]test|here&gt;');
    expect(text).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
    expect(text).toContain(link.replaceAll('&', '&amp;'));
    expect((await send(new URL(link), { 'decision.0': 'deny' })).status).toBe(303);
    await machine.api.until(runId, 'completed');
    expect((await machine.api.records(runId)).find(({ type }) => type === 'answer')).toMatchObject({
      by: 'webhook:ops',
      via: 'webhook link',
    });
  });

  it('can tell that the message is ours by a key made from the link key', async () => {
    const { runId, run } = await asking('hooked');
    await expect.poll(() => postsOf(runId), { timeout: 20_000 }).toHaveLength(1);
    const { headers, body } = postsOf(runId)[0] as (typeof hook.posted)[number];
    const key = createHmac('sha256', readFileSync(join(machine.dataDir, 'link.key')))
      .update('holdfast webhook key')
      .digest();
    const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = headers;
    expect(id).toBe(`${run.ask?.id}-0`);
    expect(Math.abs(Date.now() / 1000 - Number(at))).toBeLessThan(300);
    expect(signature).toBe(`v1,${createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')}`);
  });

  it.each([
    ['fails', { status: 500 }, 'Cannot post to webhook "ops": it answered 500'],
    ['points elsewhere', { status: 302, location: 'http://127.0.0.1:9/' }, 'it answered 302, and another address is not followed'],
  ])('that %s is a failed try, which keeps nobody else from being told', async (_, answer, why) => {
    hook.answer = answer;
    const { runId } = await asking('both');
    await expect
      .poll(() => noticesOf(runId))
      .toMatchObject([
        { recipient: 'ada@example.test', state: 'sent', sentAt: expect.any(Number) },
        { recipient: 'webhook:ops', state: 'failed', error: expect.stringContaining(why), nextTryAt: expect.any(Number) },
      ]);
    expect(postsOf(runId)).toHaveLength(1);
    expect(JSON.stringify(await noticesOf(runId)) + allLogs()).not.toContain('secret-path');
  });

  it('that a policy names and the agent does not know is left out', async () => {
    const { runId } = await asking('both', 'pay_elsewhere a');
    await expect.poll(() => noticesOf(runId)).toMatchObject([{ recipient: 'webhook:ops', state: 'sent' }]);
    const nowhere = await asking('told', 'pay_nowhere a');
    await expect.poll(() => noticesOf(nowhere.runId)).toMatchObject([{ recipient: 'ada@example.test', state: 'sent' }]);
  });
});

const notices = (run: RunSummary, body: unknown, what = '') =>
  machine.api.call<{ notice: NoticeSummary; field?: string; title?: string }>('POST', `/asks/${run.ask?.id}/notices${what}`, body);

describe('an ask that waits', () => {
  it('can be sent again by the same link, and to somebody else by another', async () => {
    const { runId, run } = await asking('told');
    await expect.poll(() => mailsOf(runId), { timeout: 20_000 }).toHaveLength(1);
    const again = await notices(run, { to: 'ada@example.test', by: 'kim' });
    expect(again).toMatchObject({ status: 202, body: { notice: { state: 'sent', again: { by: 'kim', at: expect.any(Number) } } } });
    expect((await notices(run, { to: 'eve@example.test' })).body.notice).toMatchObject({ state: 'sent', again: { by: 'the API' } });
    expect((await notices(run, { to: 'webhook:ops' })).body.notice).toMatchObject({ recipient: 'webhook:ops', state: 'sent' });
    const [first, second, third] = mailsOf(runId).map(({ text }) => linkIn(text).href);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
    expect((await noticesOf(runId))?.map(({ recipient }) => recipient)).toEqual(['ada@example.test', 'eve@example.test', 'webhook:ops']);
    await send(new URL(third ?? ''), { 'decision.0': 'deny' });
    await machine.api.until(runId, 'completed');
    expect((await machine.api.records(runId)).find(({ type }) => type === 'answer')).toMatchObject({
      by: 'eve@example.test',
      via: 'mail link',
    });
    expect(await notices(run, { to: 'eve@example.test' })).toMatchObject({ status: 409, body: { title: 'Ask is closed' } });
    expect(mailsOf(runId)).toHaveLength(3);
  });

  it('has new tries when it is sent again, and shows how the last one ended', async () => {
    smtp.refused = ['ada@example.test'];
    const { runId, run } = await asking('told');
    await expect.poll(() => noticesOf(runId)).toMatchObject([{ state: 'failed' }]);
    expect((await notices(run, { to: 'ada@example.test' })).body.notice).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('No such user here'),
      nextTryAt: expect.any(Number),
    });
    smtp.refused = [];
    expect((await notices(run, { to: 'ada@example.test' })).body.notice).toMatchObject({ state: 'sent' });
    expect(mailsOf(runId)).toHaveLength(1);
  });

  it.each([
    ['no address', { to: 'ada' }, 400, 'to'],
    ['two addresses', { to: 'ada@example.test, bob@example.test' }, 400, 'to'],
    ['a webhook of nobody', { to: 'webhook:nobody' }, 400, 'to'],
    ['an address of its own', { to: 'https://evil.test/' }, 400, 'to'],
    ['nobody', {}, 400, 'to'],
    ['a blank name', { to: 'ada@example.test', by: ' ' }, 400, 'by'],
    ['more than it takes', { to: 'ada@example.test', cc: 'bob@example.test' }, 400, 'cc'],
  ])('is not sent to %s', async (_, body, status, field) => {
    const { runId, run } = await asking('told');
    expect(await notices(run, body)).toMatchObject({ status, body: { field } });
    await expect.poll(() => noticesOf(runId)).toMatchObject([{ recipient: 'ada@example.test' }]);
  });

  it('knows its recipients, and only open asks are sent', async () => {
    const { runId, run } = await asking('told');
    expect((await notices(run, { to: 'eve@example.test' }, '/revoke')).status).toBe(404);
    expect((await machine.api.call('POST', `/asks/${runId}-99/notices`, { to: 'eve@example.test' })).status).toBe(404);
    expect((await machine.api.call('POST', '/asks/nonsense/notices/revoke', { to: 'eve@example.test' })).status).toBe(404);
    await machine.api.call('POST', `/runs/${runId}/cancel`, {});
    await machine.api.until(runId, 'cancelled');
    expect((await notices(run, { to: 'eve@example.test' })).status).toBe(409);
    expect(mailsOf(runId).filter(({ to }) => to === 'eve@example.test')).toEqual([]);
  });
});

describe('a link', () => {
  it('that was taken back says so, decides nothing, and gives way to another', async () => {
    const { runId, run } = await asking('told');
    await expect.poll(() => mailsOf(runId), { timeout: 20_000 }).toHaveLength(1);
    const link = linkIn(mailsOf(runId)[0]?.text ?? '');
    const form = await formOf(link);
    expect(await notices(run, { to: 'ada@example.test', by: 'kim' }, '/revoke')).toMatchObject({
      status: 200,
      body: { notice: { state: 'revoked', revoked: { by: 'kim' } } },
    });
    expect((await notices(run, { to: 'ada@example.test', by: 'lee' }, '/revoke')).body.notice).toMatchObject({ revoked: { by: 'kim' } });
    expect(await (await fetch(link)).text()).toContain('This link was taken back');
    const posted = await form({ 'decision.0': 'approve' });
    expect([posted.status, (await machine.api.show(runId)).status]).toEqual([410, 'waiting']);
    expect((await machine.api.show(runId)).reason).toBe('approval: consent; nobody could be written to: every link was taken back');

    expect((await notices(run, { to: 'ada@example.test' })).body.notice).toMatchObject({ state: 'sent' });
    expect((await machine.api.show(runId)).reason).toBe('approval: consent');
    const other = linkIn(mailsOf(runId)[1]?.text ?? '');
    expect(other.href).not.toBe(link.href);
    expect((await fetch(link)).status).toBe(410);
    expect((await send(other, { 'decision.0': 'approve' })).status).toBe(303);
    await machine.api.until(runId, 'completed');
  });

  it('of somebody else says so, and names nobody', async () => {
    const { runId } = await asking('both');
    await expect.poll(() => [mailsOf(runId).length, postsOf(runId).length], { timeout: 20_000 }).toEqual([1, 1]);
    const link = linkIn(mailsOf(runId)[0]?.text ?? '');
    link.searchParams.set('p', '1');
    const response = await fetch(link);
    const page = await response.text();
    expect([response.status, page.match(/ada@|webhook/)]).toEqual([403, null]);
    expect(page).toContain('This link was made for somebody else');
    link.searchParams.set('t', 'x'.repeat(43));
    expect(await (await fetch(link)).text()).toContain('This link is not valid');
  });
});

describe('an answer of high risk by a link, where the agent wants a code', () => {
  const page = async (link: URL) => (await fetch(link)).text();
  const codesOf = (runId: string) => mailsOf(runId).flatMap(({ text }) => /Your code is (\d{6})\./.exec(text)?.[1] ?? []);

  async function careful(input = 'pay_high a') {
    const { runId, run } = await asking('careful', input);
    await expect.poll(() => [mailsOf(runId).length, postsOf(runId).length], { timeout: 20_000 }).toEqual([1, 1]);
    return { runId, run, link: linkIn(mailsOf(runId)[0]?.text ?? ''), hooked: new URL(JSON.parse(postsOf(runId)[0]?.body ?? '').link) };
  }

  it('is taken with the code that the recipient was sent, and with no other', async () => {
    const { runId, link, hooked } = await careful();
    const before = await page(link);
    expect(before).toContain('Send me a code');
    expect(before).not.toMatch(/type="radio"|name="code"|Send answer/);
    expect((await send(link, { 'decision.0': 'approve', code: '000000' })).status).toBe(403);
    expect(codesOf(runId)).toEqual([]);

    expect((await send(link, { 'send-code': 'yes' })).status).toBe(303);
    const code = codesOf(runId)[0] ?? '';
    expect(code).toMatch(/^\d{6}$/);
    expect(await page(link)).toContain('name="code"');
    expect(await page(hooked)).not.toContain('name="code"');
    const wrong = await send(link, { 'decision.0': 'approve', code: code === '123456' ? '654321' : '123456' });
    expect([wrong.status, await wrong.text()]).toEqual([
      403,
      expect.stringContaining('The code is wrong: 4 tries are left. Nothing was decided.'),
    ]);
    const none = await send(link, { 'decision.0': 'approve' });
    expect([none.status, await none.text()]).toEqual([
      400,
      expect.stringContaining('Type the six digits of the code. Nothing was decided.'),
    ]);
    const tooSoon = await send(link, { 'send-code': 'yes' });
    expect([tooSoon.status, await tooSoon.text()]).toEqual([429, expect.stringContaining('less than a minute ago')]);
    expect((await machine.api.show(runId)).status).toBe('waiting');

    const right = { 'decision.0': 'approve', code: ` ${code.slice(0, 3)} ${code.slice(3)} ` };
    const form = await formOf(link);
    for (const { status } of await Promise.all([form(right), form(right)])) expect([200, 303]).toContain(status);
    await machine.api.until(runId, 'completed');
    expect(machine.world.applied.filter(({ key }) => key.startsWith(runId))).toHaveLength(1);
    expect((await machine.api.records(runId)).find(({ type }) => type === 'answer')).toMatchObject({
      by: 'ada@example.test',
      via: 'mail link',
    });
    expect(allLogs()).not.toContain(code);
  });

  it('uses up no code when it is refused for what came with it', async () => {
    const { runId, link } = await careful();
    await send(link, { 'send-code': 'yes' });
    const code = codesOf(runId)[0] ?? '';
    for (let i = 0; i < 6; i++) {
      const refused = await send(link, { 'decision.0': 'approve', 'input.0': '{"item": 7}', code });
      expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('the arguments of pay_high are not valid')]);
    }
    expect((await send(link, { 'decision.0': 'approve', 'input.0': '{"item": "b"}', code })).status).toBe(303);
    await machine.api.until(runId, 'completed');
    expect(machine.world.applied.filter(({ key }) => key.startsWith(runId)).map(({ input }) => input)).toEqual(['b']);
  });

  it('gets its code by the channel of its link', async () => {
    const { runId, hooked } = await careful();
    expect((await send(hooked, { 'send-code': 'yes' })).status).toBe(303);
    const { text, ask, link } = JSON.parse(postsOf(runId)[1]?.body ?? '');
    expect([text, ask.runId, link]).toEqual([expect.stringMatching(/^Your code is \d{6}\./), runId, undefined]);
    expect(codesOf(runId)).toEqual([]);
    await send(hooked, { 'decision.0': 'deny', code: /\d{6}/.exec(text)?.[0] ?? '' });
    await machine.api.until(runId, 'completed');
    expect((await machine.api.records(runId)).find(({ type }) => type === 'answer')).toMatchObject({
      by: 'webhook:ops',
      via: 'webhook link',
    });
  });

  it('says when its code could not be sent', async () => {
    const { link, runId } = await careful();
    smtp.refused = ['ada@example.test'];
    const response = await send(link, { 'send-code': 'yes' });
    expect([response.status, await response.text()]).toEqual([502, expect.stringContaining('The code could not be sent.')]);
    expect(await machine.api.show(runId)).toMatchObject({ status: 'waiting' });
  });

  it('is asked for no code when the risk is not high, nor in the inbox', async () => {
    const { runId, link } = await careful('pay a');
    expect((await send(link, { 'decision.0': 'approve' })).status).toBe(303);
    await machine.api.until(runId, 'completed');
    const { run } = await careful();
    expect((await send(new URL(`${machine.host.url}/inbox/${run.ask?.id}`), { 'decision.0': 'approve' })).status).toBe(303);
    await machine.api.until(run.runId, 'completed');
  });
});
