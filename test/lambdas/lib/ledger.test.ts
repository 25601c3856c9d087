import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EffectRecord } from '../../../shared/effect.ts';
import { openTables } from '../../support/tables.ts';

let tables: Awaited<ReturnType<typeof openTables>>;
type Ledger = typeof import('../../../lambdas/lib/ledger.ts') & typeof import('../../../lambdas/lib/one-at-a-time.ts');
let ledger: Ledger;
beforeAll(async () => {
  tables = await openTables();
  ledger = { ...(await import('../../../lambdas/lib/ledger.ts')), ...(await import('../../../lambdas/lib/one-at-a-time.ts')) };
});
afterAll(() => tables?.close());

const RUN = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
let next = 1;
const place = () => {
  const seq = next++;
  return { seq, address: ledger.callAddress(RUN, seq, 0) };
};

const entry = (seq: number, epoch: number, more: Partial<EffectRecord> = {}): EffectRecord => ({
  v: 1,
  runId: RUN,
  key: `${RUN}/${seq}/0`,
  call: `${RUN}/${seq}/0`,
  tool: 'pay',
  class: 'once',
  inputHash: 'hash',
  state: 'started',
  epoch,
  requestId: `request-${epoch}`,
  attempts: 1,
  seen: 0,
  startedAt: 1,
  deadline: 2,
  ...more,
});

describe('claim()', () => {
  it('marks an effect once, whoever comes at the same moment', async () => {
    const { seq, address } = place();
    const claims = await Promise.all([1, 2, 3, 4].map((epoch) => ledger.claim(address, entry(seq, epoch), undefined)));
    const winner = claims.indexOf(undefined) + 1;
    expect(claims.filter((inTheWay) => inTheWay === undefined)).toHaveLength(1);
    for (const inTheWay of claims) if (inTheWay) expect(inTheWay).toMatchObject({ epoch: winner });
  });

  it('takes over only the entry that it saw', async () => {
    const { seq, address } = place();
    const first = entry(seq, 1);
    await ledger.claim(address, first, undefined);
    expect(await ledger.claim(address, entry(seq, 2), first)).toBeUndefined();
    expect(await ledger.claim(address, entry(seq, 3), first)).toMatchObject({ epoch: 2 });
  });

  it('knows its own mark again when the answer to the first try was lost', async () => {
    const { seq, address } = place();
    await ledger.claim(address, entry(seq, 1), undefined);
    expect(await ledger.claim(address, entry(seq, 1), undefined)).toBeUndefined();
  });
});

describe('settle()', () => {
  it('records the outcome of the attempt that owns the effect', async () => {
    const { seq, address } = place();
    await ledger.claim(address, entry(seq, 1), undefined);
    const done = entry(seq, 1, { state: 'done', ok: true, output: { paid: true } });
    expect(await ledger.settle(address, done)).toEqual(done);
    expect(await ledger.readEffect(address)).toEqual(done);
  });

  it('leaves an effect alone that a later attempt has taken over', async () => {
    const { seq, address } = place();
    const slow = entry(seq, 1);
    await ledger.claim(address, slow, undefined);
    await ledger.claim(address, entry(seq, 2), slow);
    expect(await ledger.settle(address, { ...slow, state: 'done', ok: true, output: 'late' })).toMatchObject({
      epoch: 2,
      state: 'started',
    });
    expect(await ledger.readEffect(address)).toMatchObject({ epoch: 2, state: 'started' });
  });
});

describe('oneAtATime()', () => {
  const soon = () => Date.now() + 60_000;
  const count = () => {
    const times = { ran: 0 };
    return { times, perform: async () => void times.ran++ };
  };

  it('performs once, and answers from the record afterwards, in a cold process too', async () => {
    const { address } = place();
    const { times, perform } = count();
    expect(await ledger.oneAtATime(address, soon(), false, perform)).toBe('ran');
    expect(await ledger.oneAtATime(address, soon(), false, perform)).toBe('replayed');
    expect(times.ran).toBe(1);
  });

  it('is busy while another attempt holds the lock', async () => {
    const { address } = place();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const begun = Promise.withResolvers<void>();
    const first = ledger.oneAtATime(address, soon(), false, async () => {
      begun.resolve();
      await held;
    });
    await begun.promise;
    const { times, perform } = count();
    expect(await ledger.oneAtATime(address, soon(), false, perform)).toBe('busy');
    release();
    expect([await first, times.ran]).toEqual(['ran', 0]);
  });

  it('lifts the lock of an attempt that was taken over', async () => {
    const { address } = place();
    void ledger.oneAtATime(address, soon(), false, () => new Promise(() => {}));
    const { perform } = count();
    await expect.poll(() => ledger.oneAtATime(address, soon(), false, perform)).toBe('busy');
    expect(await ledger.oneAtATime(address, soon(), true, perform)).toBe('ran');
  });

  it('keeps concurrent keys apart', async () => {
    const counts = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const { address } = place();
        const { times, perform } = count();
        await Promise.all([1, 2, 3].map(() => ledger.oneAtATime(address, soon(), false, perform)));
        return times.ran;
      }),
    );
    expect(counts).toEqual(Array(8).fill(1));
  });
});

describe('assertLocksAreOn()', () => {
  it('refuses to run tools without their guard', () => {
    expect(() => ledger.assertLocksAreOn({ POWERTOOLS_IDEMPOTENCY_DISABLED: 'true' })).toThrow('POWERTOOLS_IDEMPOTENCY_DISABLED is set');
    expect(() => ledger.assertLocksAreOn({})).not.toThrow();
  });
});
