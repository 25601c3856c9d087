import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resultsIn } from '../support/api-client.ts';
import { type Machine, startMachine } from '../support/machine.ts';

interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly tags: Record<string, string>;
}

let machine: Machine;
let refused: string[] = [];
beforeAll(async () => {
  machine = await startMachine(new URL('./ask-agents.ts', import.meta.url), { sweepMs: 200, mailFails: (to) => refused.includes(to) });
});
afterAll(() => machine?.stop());

const outbox = (): Mail[] => {
  const folder = join(machine.dataDir, 'outbox');
  return readdirSync(folder)
    .sort()
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Mail);
};
const mailsOf = (runId: string) => outbox().filter(({ text }) => text.includes(runId));
const linkIn = ({ text }: Mail) => new URL(/https?:\/\/\S+/.exec(text)?.[0] ?? '');

/** Starts a run, and waits until it waits and its mails are out. */
async function asking(lines: string[][], mails = 1) {
  const runId = await machine.api.start('payer', lines);
  await machine.api.until(runId, 'waiting');
  await expect.poll(() => mailsOf(runId), { timeout: 20_000 }).toHaveLength(mails);
  return { runId, links: mailsOf(runId).map(linkIn) };
}

const times = (runId: string) => machine.world.applied.filter(({ key }) => key.startsWith(runId)).length;
const isPending = async (runId: string) => (await machine.api.show(runId)).status === 'waiting';

/** The hidden fields of a page's form, and where it goes. */
async function formOf(link: URL) {
  const html = await (await fetch(link)).text();
  const fields = [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(
    (match) => [match[1], match[2]] as [string, string],
  );
  return { action: new URL(/<form[^>]* action="([^"]+)"/.exec(html)?.[1] ?? '', link), fields };
}

async function send(link: URL, decisions: Record<string, string>) {
  const { action, fields } = await formOf(link);
  return fetch(action, { method: 'POST', body: new URLSearchParams([...fields, ...Object.entries(decisions)]), redirect: 'manual' });
}

describe('a mailed link', () => {
  it('changes nothing however often it is opened, and decides by its form', async () => {
    const { runId, links } = await asking([['pay a']]);
    const link = links[0] as URL;
    for (const method of ['HEAD', 'GET', 'HEAD', 'GET']) expect((await fetch(link, { method })).status).toBe(200);
    expect(await isPending(runId)).toBe(true);
    const answered = await send(link, { 'decision.0': 'approve' });
    expect(answered.status).toBe(303);
    await machine.api.until(runId, 'completed');
    expect(times(runId)).toBe(1);
    expect((await machine.api.records(runId)).find(({ type }) => type === 'answer')).toMatchObject({
      by: 'boss@example.test',
      via: 'mail link',
    });
  });

  it('goes out with tags that name its notice', async () => {
    const { runId, links } = await asking([['pay_ada a']], 2);
    const id = (await machine.api.show(runId)).ask?.id;
    expect(mailsOf(runId).map(({ tags }) => tags)).toEqual(links.map(({ searchParams }) => ({ ask: id, place: searchParams.get('p') })));
  });

  it('shows what was decided to whoever comes second', async () => {
    const { runId, links } = await asking([['pay_ada a']], 2);
    await send(links[0] as URL, { 'decision.0': 'deny', comment: 'too dear' });
    await machine.api.until(runId, 'completed');
    const page = await (await fetch(links[1] as URL)).text();
    expect(page).toContain('ada@example.test');
    expect(page).toContain('mail link');
    expect(page).toContain('too dear');
    expect(page).not.toContain('<form');
    expect(times(runId)).toBe(0);
  });

  it('and the API take the first decision, and tell the second person of it, whichever comes first', async () => {
    const yes = { by: 'Ann', decision: 'approve' };
    const denied = await asking([['pay a']]);
    const run = await machine.api.show(denied.runId);
    await send(denied.links[0] as URL, { 'decision.0': 'deny' });
    expect(await machine.api.answer(run, yes)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('was answered by boss@example.test: deny') },
    });
    const approved = await asking([['pay a']]);
    const { action, fields } = await formOf(approved.links[0] as URL);
    await machine.api.answer(await machine.api.show(approved.runId), yes);
    const late = await fetch(action, { method: 'POST', body: new URLSearchParams([...fields, ['decision.0', 'deny']]) });
    expect(await late.text()).toMatch(/Approve<\/strong>: Ann, on [\d -:]+ UTC, by the API/);
    await machine.api.until(denied.runId, 'completed');
    await machine.api.until(approved.runId, 'completed');
    expect([times(denied.runId), times(approved.runId)]).toEqual([0, 1]);
  });

  it.each([
    ['nothing', {}],
    ['an empty word', { 'decision.0': '' }],
    ['another word', { 'decision.0': 'maybe' }],
    ['the word in capitals', { 'decision.0': 'APPROVE ' }],
    ['another field', { approved: '1' }],
  ])('takes %s for no answer', async (_, decisions) => {
    const { runId, links } = await asking([['pay a']]);
    const response = await send(links[0] as URL, decisions as Record<string, string>);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('approve');
    expect(await isPending(runId)).toBe(true);
  });

  it('refuses a form without its nonce, a wrong secret, and a secret of somebody else', async () => {
    const { runId, links } = await asking([['pay_ada a']], 2);
    const [ada, bob] = links as [URL, URL];
    const { action, fields } = await formOf(ada);
    const bare = fields.filter(([name]) => name !== 'nonce');
    expect((await fetch(action, { method: 'POST', body: new URLSearchParams([...bare, ['decision.0', 'approve']]) })).status).toBe(403);
    const mixed = new URL(ada);
    mixed.searchParams.set('t', bob.searchParams.get('t') as string);
    expect((await fetch(mixed)).status).toBe(403);
    mixed.searchParams.set('p', '7');
    expect((await fetch(mixed)).status).toBe(404);
    expect(await isPending(runId)).toBe(true);
  });

  it('shows its form again, with what was written, when somebody else answered one of its questions meanwhile', async () => {
    const { runId, links } = await asking([['pay a', 'pay b']]);
    const { action, fields } = await formOf(links[0] as URL);
    await machine.api.answer(await machine.api.show(runId), { by: 'Ann', answers: [{ index: 0, decision: 'deny' }] });
    const both = { 'decision.0': 'approve', 'decision.1': 'approve', comment: 'Both, please' };
    const body = new URLSearchParams([...fields, ...Object.entries(both)]);
    const response = await fetch(action, { method: 'POST', body, redirect: 'manual' });
    const page = await response.text();
    expect(response.status).toBe(400);
    expect(page).toContain('Both, please');
    expect(page).toContain('Ann');
    expect(await isPending(runId)).toBe(true);
    expect((await send(links[0] as URL, { 'decision.1': 'approve' })).status).toBe(303);
    await machine.api.until(runId, 'completed');
    expect(times(runId)).toBe(1);
  });

  it('does not decide a later ask of the run', async () => {
    const { runId, links } = await asking([['pay a'], ['pay b']]);
    const { action, fields } = await formOf(links[0] as URL);
    const body = () => new URLSearchParams([...fields, ['decision.0', 'approve']]);
    await fetch(action, { method: 'POST', body: body(), redirect: 'manual' });
    await expect.poll(() => mailsOf(runId), { timeout: 20_000 }).toHaveLength(2);
    const again = await fetch(action, { method: 'POST', body: body() });
    expect(await again.text()).toContain('boss@example.test');
    expect(await isPending(runId)).toBe(true);
    expect(times(runId)).toBe(1);
  });

  it('opens no ask of another run', async () => {
    const [one, other] = [await asking([['pay a']]), await asking([['pay b']])];
    const mixed = new URL(one.links[0] as URL);
    mixed.pathname = (other.links[0] as URL).pathname;
    expect((await fetch(mixed)).status).toBe(403);
    const { action, fields } = await formOf(one.links[0] as URL);
    action.pathname = mixed.pathname;
    expect((await fetch(action, { method: 'POST', body: new URLSearchParams([...fields, ['decision.0', 'approve']]) })).status).toBe(403);
    expect([await isPending(one.runId), await isPending(other.runId)]).toEqual([true, true]);
  });

  it('of a run that is started over decides nothing, nor does the API, and the new run is asked about', async () => {
    const { runId, links } = await asking([['pay a']]);
    const before = await machine.api.show(runId);
    const { action, fields } = await formOf(links[0] as URL);
    const started = await machine.api.call<{ run: { runId: string } }>('POST', `/runs/${runId}/restart`, { by: 'Ada' });
    const now = started.body.run.runId;
    await machine.api.until(runId, 'cancelled');
    const page = await (await fetch(links[0] as URL)).text();
    expect(page).not.toContain('<form');
    expect(page).toContain(now);
    const sent = await fetch(action, { method: 'POST', body: new URLSearchParams([...fields, ['decision.0', 'approve']]) });
    expect(await sent.text()).not.toContain('<form');
    expect((await machine.api.answer(before, { by: 'Ann', decision: 'approve' })).status).toBe(409);
    await machine.api.until(now, 'waiting');
    expect([times(runId), times(now)]).toEqual([0, 0]);
    await machine.api.answer(await machine.api.show(now), { by: 'Ann', decision: 'approve' });
    await machine.api.until(now, 'completed');
    expect([times(runId), times(now)]).toEqual([0, 1]);
  });

  it('of a run that was erased is of no ask', async () => {
    const { runId, links } = await asking([['pay a']]);
    const before = await machine.api.show(runId);
    const { action, fields } = await formOf(links[0] as URL);
    await machine.api.call('DELETE', `/runs/${runId}`, { by: 'Ada', cancel: true });
    const sent = await fetch(action, { method: 'POST', body: new URLSearchParams([...fields, ['decision.0', 'approve']]) });
    expect([(await fetch(links[0] as URL)).status, sent.status]).toEqual([404, 404]);
    expect((await machine.api.answer(before, { by: 'Ann', decision: 'approve' })).status).toBe(404);
    expect(times(runId)).toBe(0);
  });

  it('says that the run was cancelled', async () => {
    const { runId, links } = await asking([['pay a']]);
    await machine.api.call('POST', `/runs/${runId}/cancel`, { by: 'Ada' });
    await machine.api.until(runId, 'cancelled');
    const late = await machine.api.call('POST', `/asks/${links[0]?.pathname.slice(3)}/answer`, { by: 'Ann', decision: 'approve' });
    expect(late.status).toBe(409);
    const page = await (await fetch(links[0] as URL)).text();
    expect(page).toMatch(/cancelled/i);
    expect(page).not.toContain('<form');
    expect((await machine.api.call<{ asks: unknown[] }>('GET', '/asks')).body.asks).not.toContainEqual(expect.objectContaining({ runId }));
  });

  it('keeps its secret out of what the functions log, and its pages out of caches and frames', async () => {
    const { links } = await asking([['pay a']]);
    const response = await fetch(links[0] as URL);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    await send(links[0] as URL, { 'decision.0': 'deny' });
    const logs = readdirSync(join(machine.dataDir, 'logs')).map((name) => readFileSync(join(machine.dataDir, 'logs', name), 'utf8'));
    expect(logs.join('')).not.toContain(links[0]?.searchParams.get('t'));
  });
});

describe('an ask', () => {
  it('expires by itself, is recorded as expired, and the call is not run', async () => {
    const runId = await machine.api.start('payer', [['pay_soon a']]);
    await machine.api.until(runId, 'completed');
    const records = await machine.api.records(runId);
    expect(records.find(({ type }) => type === 'answer')).toMatchObject({ by: 'the clock', answers: [{ decision: 'expired' }] });
    expect(resultsIn(records)).toMatchObject([{ ok: false, output: expect.stringContaining('nobody answered in time') }]);
    expect(times(runId)).toBe(0);
  });

  it('shows whom it could not write to, and is not written again to the others', async () => {
    refused = ['bob@example.test'];
    const { runId, links } = await asking([['pay_ada a']]);
    const shown = async () =>
      (await machine.api.call<{ asks: { runId: string; notices: object[] }[] }>('GET', '/asks')).body.asks.find(
        (ask) => ask.runId === runId,
      );
    await expect.poll(shown).toMatchObject({
      notices: [
        { recipient: 'ada@example.test', sentAt: expect.any(Number) },
        { recipient: 'bob@example.test', error: expect.any(String) },
      ],
    });
    const inbox = await (await fetch(`${machine.host.url}/inbox/${(await machine.api.show(runId)).ask?.id}`)).text();
    expect(inbox).toMatch(/ada@example\.test: sent on [\s\S]*bob@example\.test: not reached: .*Next try on/);
    expect(await (await fetch(links[0] as URL)).text()).not.toContain('not reached');
    await machine.restart();
    await machine.api.until(runId, 'waiting');
    refused = [];
    await send(new URL(links[0]?.pathname + (links[0]?.search ?? ''), machine.host.url), { 'decision.0': 'approve' });
    await machine.api.until(runId, 'completed');
    expect(mailsOf(runId).map(linkIn)).toEqual(links);
  });

  it('can be answered in the inbox', async () => {
    const { runId } = await asking([['pay a']]);
    const run = await machine.api.show(runId);
    expect(await (await fetch(`${machine.host.url}/inbox`)).text()).toContain(`/inbox/${run.ask?.id}`);
    expect((await send(new URL(`${machine.host.url}/inbox/${run.ask?.id}`), { 'decision.0': 'approve' })).status).toBe(303);
    await machine.api.until(runId, 'completed');
    expect(times(runId)).toBe(1);
  });
});
