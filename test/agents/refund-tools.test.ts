import { appendFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PROVIDER_VARIABLE } from '../../agents/refund-desk/provider-client.ts';
import { APPROVAL_LIMIT_CENTS, issueRefund, lookupOrder, tellCustomer } from '../../agents/refund-desk/tools.ts';
import type { ToolContext } from '../../shared/tool.ts';
import { type Provider, startProvider } from './provider-process.ts';

let provider: Provider;
beforeEach(async () => {
  provider = await startProvider();
  process.env[PROVIDER_VARIABLE] = provider.url;
});
afterEach(async () => {
  delete process.env[PROVIDER_VARIABLE];
  await provider.remove();
});

const context = (key: string, signal = new AbortController().signal): ToolContext => ({
  runId: 'r',
  rootRunId: 'r',
  key,
  attempt: 1,
  signal,
  textOf: () => undefined,
  readFile: () => Promise.reject(new Error('no files here')),
  log: () => {},
});
const refund = { orderId: 'A-1001', amountCents: 3_990, reason: 'damaged' };

/** Waits until the provider has booked and keeps its response back. */
async function kept(count: number): Promise<void> {
  while ((await provider.kept()) < count) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('lookup_order', () => {
  it('finds an order in any case of letters, and says when there is none', async () => {
    expect(await lookupOrder.execute({ orderId: 'a-1001' }, context('k'))).toMatchObject({ found: true, amountCents: 3_990 });
    expect(await lookupOrder.execute({ orderId: 'Z-1' }, context('k'))).toEqual({ found: false, orderId: 'Z-1' });
  });
});

describe('issue_refund', () => {
  it('books once for one key, also after the caller died between booking and answer', async () => {
    await provider.hold(true);
    const caller = new AbortController();
    const first = issueRefund.execute(refund, context('r/2/0', caller.signal));
    const failed = expect(first).rejects.toThrow('whether it booked is open');
    await kept(1);
    caller.abort();
    await failed;
    await provider.hold(false);
    await issueRefund.execute(refund, context('r/2/0'));
    expect(provider.ledger()).toHaveLength(1);
  });

  it('knows a key again after the provider crashed, and a line that the crash cut off never was', async () => {
    await issueRefund.execute(refund, context('r/2/0'));
    await provider.kill();
    appendFileSync(provider.file, '{"id":"refund-2","mode":"dedu');
    const again = await startProvider(provider.file);
    process.env[PROVIDER_VARIABLE] = again.url;
    await issueRefund.execute(refund, context('r/2/0'));
    await issueRefund.execute(refund, context('r/2/1'));
    expect(again.ledger().map(({ key }) => key)).toEqual(['r/2/0', 'r/2/1']);
    await again.kill();
  });

  it('says that nothing happened when the provider was never reached, or the order forbids it', async () => {
    await expect(issueRefund.execute({ ...refund, orderId: 'Z-1' }, context('k'))).rejects.toMatchObject({ name: 'NoEffectError' });
    await expect(issueRefund.execute({ ...refund, amountCents: 9_999_999 }, context('k'))).rejects.toMatchObject({ name: 'NoEffectError' });
    await provider.kill();
    await expect(issueRefund.execute(refund, context('k'))).rejects.toMatchObject({ name: 'NoEffectError' });
    delete process.env[PROVIDER_VARIABLE];
    await expect(issueRefund.execute(refund, context('k'))).rejects.toThrow('npm start');
  });

  it('leaves the outcome open when the connection breaks after the request was sent', async () => {
    await provider.hold(true);
    const call = expect(issueRefund.execute(refund, context('k'))).rejects.toThrow('whether it booked is open');
    await kept(1);
    await provider.kill();
    await call;
    expect(provider.ledger()).toHaveLength(1);
  });

  it('needs consent above the limit only', () => {
    const approval = issueRefund.approval as (input: typeof refund) => unknown;
    expect(approval({ ...refund, amountCents: APPROVAL_LIMIT_CENTS })).toBe(false);
    expect(approval({ ...refund, amountCents: APPROVAL_LIMIT_CENTS + 1 })).toMatchObject({ reason: expect.stringContaining('100.01 EUR') });
  });
});

describe('tell_customer', () => {
  const mail = { orderId: 'A-1001', text: 'Paid back.' };
  const { find } = tellCustomer as { find: (key: string, input: typeof mail, context: ToolContext) => Promise<unknown> };

  it('can tell afterwards whether a mail went out', async () => {
    expect(await find('r/4/0', mail, context('r/4/0'))).toEqual({ happened: false });
    const sent = await tellCustomer.execute(mail, context('r/4/0'));
    expect(await find('r/4/0', mail, context('r/4/0'))).toEqual({ happened: true, output: sent });
  });
});

describe('the payment provider', () => {
  it('books every time where it does not dedupe, and tells nothing where it cannot be asked', async () => {
    const post = (mode: string) =>
      fetch(`${provider.url}/${mode}/refunds`, { method: 'POST', headers: { 'idempotency-key': 'k' }, body: '{}' });
    for (const mode of ['askable', 'plain']) expect([(await post(mode)).status, (await post(mode)).status]).toEqual([201, 201]);
    expect([(await post('dedupes')).status, (await post('dedupes')).status]).toEqual([201, 200]);
    expect((await fetch(`${provider.url}/plain/refunds?key=k`)).status).toBe(405);
    expect((await fetch(`${provider.url}/nowhere`)).status).toBe(404);
    expect((await fetch(`${provider.url}/plain/refunds`, { method: 'POST', body: 'no JSON' })).status).toBe(400);
    expect(provider.ledger().map(({ mode }) => mode)).toEqual(['askable', 'askable', 'plain', 'plain', 'dedupes']);
  });

  it('lets kept responses go', async () => {
    await provider.hold(true);
    const sent = fetch(`${provider.url}/rates`);
    await kept(1);
    await provider.hold(false);
    expect((await sent).status).toBe(200);
  });
});
