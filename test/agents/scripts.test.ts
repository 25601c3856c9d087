import { describe, expect, it } from 'vitest';
import { fourClassesScript } from '../../agents/four-classes.ts';
import { agents } from '../../agents/index.ts';
import { refundScript } from '../../agents/refund-desk/script.ts';
import { lookupOrder } from '../../agents/refund-desk/tools.ts';
import type { Json } from '../../shared/json.ts';
import type { ScriptedReply, Situation } from '../../shared/model.ts';
import type { Result } from '../../shared/record.ts';

const result = (index: number, output: Json, ok = true): Result => ({ index, ok, output, attempts: 1 });

const situation = (given: Partial<Situation>): Situation => ({ input: '', turn: 0, results: [], messages: [], attempt: 1, ...given });

const callsOf = (reply: ScriptedReply) => ('calls' in reply ? (reply.calls ?? []) : []);

const found = async (...orderIds: string[]): Promise<Result[]> =>
  Promise.all(orderIds.map(async (orderId, i) => result(i, (await lookupOrder.execute({ orderId }, {} as never)) as Json)));

describe('refundScript()', () => {
  it('looks up every order of the request together, each once', () => {
    for (const input of ['Refund A-1001, a-1002 and A-1001!', { orders: ['A-1001', 'A-1002'] }] as Json[]) {
      expect(callsOf(refundScript(situation({ input }))).map((call) => call.input)).toEqual([{ orderId: 'A-1001' }, { orderId: 'A-1002' }]);
    }
  });

  it('asks which order is meant when the request names none', () => {
    expect(refundScript(situation({ input: 'my lamp broke' }))).toMatchObject({ text: expect.stringContaining('Which order') });
  });

  it('refunds what it found, in full, and no other order', async () => {
    const reply = refundScript(situation({ input: 'A-1001 Z-9999 A-1002', turn: 1, results: await found('A-1001', 'Z-9999', 'A-1002') }));
    expect(callsOf(reply).map(({ tool, input }) => [tool, input?.orderId, input?.amountCents])).toEqual([
      ['issue_refund', 'A-1001', 3_990],
      ['issue_refund', 'A-1002', 24_900],
    ]);
  });

  it('ends when it found nothing', async () => {
    expect(callsOf(refundScript(situation({ input: 'Z-9999', turn: 1, results: await found('Z-9999') })))).toEqual([]);
  });

  it('tells the customer what was paid back and what was not', () => {
    const results = [
      result(0, { refundId: 'r', orderId: 'A-1001', amountCents: 3_990, currency: 'EUR' }),
      result(1, 'Denied by kim', false),
    ];
    const [call] = callsOf(refundScript(situation({ input: 'A-1001 A-1002', turn: 2, results })));
    expect(call).toMatchObject({ tool: 'tell_customer', input: { orderId: 'A-1001' } });
    expect(String(call?.input?.text)).toMatch(/39\.90 EUR for order A-1001.*could not pay back one order/);
  });

  it('ends after the mail, and goes on politely when it is spoken to again', () => {
    expect(refundScript(situation({ turn: 3, results: [result(0, { mailId: 'm', to: 'ada@example.com' })] }))).toMatchObject({
      text: expect.stringContaining('ada@example.com'),
    });
    expect(refundScript(situation({ turn: 4, messages: ['thanks'] }))).toMatchObject({ text: expect.stringContaining('Thank you') });
  });
});

describe('fourClassesScript()', () => {
  it('calls one tool of the class that the input names, then ends', () => {
    const tools = agents.find(({ name }) => name === 'four-classes')?.tools ?? [];
    for (const wanted of ['read', 'idempotent', 'reconcile', 'once']) {
      const [call] = callsOf(fourClassesScript(situation({ input: { class: wanted } })));
      expect(tools.find(({ name }) => name === call?.tool)?.effect).toBe(wanted);
    }
    expect(callsOf(fourClassesScript(situation({ input: { class: 'once' }, turn: 1, results: [result(0, {})] })))).toEqual([]);
    expect(fourClassesScript(situation({ input: 'hello' }))).toMatchObject({ text: expect.stringContaining('read, idempotent') });
  });
});

describe('every script', () => {
  const inputs: Record<string, Json> = { 'refund-desk': 'A-1001 A-1002', 'four-classes': { class: 'once' } };

  it('is a pure function whose calls fit the schemas of its tools', async () => {
    for (const { name, script, tools } of agents) {
      for (const turn of [0, 1, 2, 3, 4]) {
        const given = situation({ input: inputs[name] as Json, turn, results: await found('A-1001') });
        const reply = script?.(given) as ScriptedReply;
        expect(script?.(structuredClone(given))).toEqual(reply);
        for (const call of callsOf(reply))
          expect(tools.find((tool) => tool.name === call.tool)?.input.safeParse(call.input).success).toBe(true);
      }
    }
  });

  it('says something sensible to any input', () => {
    for (const { script } of agents) {
      for (const input of [null, 7, '', [], { class: 'x' }] as Json[])
        expect(script?.(situation({ input }))).toMatchObject({ text: expect.any(String) });
    }
  });
});
