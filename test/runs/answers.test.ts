import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../shared/json.ts';
import { askIn, resultsIn } from '../support/api-client.ts';
import { type Machine, startMachine } from '../support/machine.ts';

let machine: Machine;
beforeAll(async () => {
  machine = await startMachine(new URL('./ask-agents.ts', import.meta.url), { sweepMs: 200 });
});
afterAll(() => machine?.stop());

/** Starts a run that makes these calls, one line a turn, and waits until it asks. */
async function asking(...lines: string[][]) {
  const runId = await machine.api.start('payer', lines);
  return machine.api.until(runId, 'waiting');
}

const inputsOf = (runId: string) => machine.world.applied.filter(({ key }) => key.startsWith(runId)).map(({ input }) => input);
const answersIn = async (runId: string) => (await machine.api.records(runId)).filter((record) => record.type === 'answer');
const isWaiting = async (runId: string) => (await machine.api.show(runId)).status === 'waiting';

describe('several people', () => {
  it('consent together: the first yes runs nothing, the second does', async () => {
    const run = await asking(['pay_two a']);
    expect(await machine.api.answer(run, { by: 'ada@example.test', decision: 'approve' })).toMatchObject({ status: 200 });
    expect(await isWaiting(run.runId)).toBe(true);
    expect(inputsOf(run.runId)).toEqual([]);
    await machine.api.answer(run, { by: 'cid@example.test', decision: 'approve' });
    await machine.api.until(run.runId, 'completed');
    expect(inputsOf(run.runId)).toEqual(['a']);
  });

  it('are different people, and of those who were named', async () => {
    const run = await asking(['pay_two a']);
    await machine.api.answer(run, { by: 'ada@example.test', decision: 'approve' });
    const [again, other, stranger] = [
      await machine.api.answer(run, { by: 'ada@example.test', decision: 'approve' }),
      await machine.api.answer(run, { by: 'ada@example.test', decision: 'deny' }),
      await machine.api.answer(run, { by: 'eve', decision: 'approve' }),
    ];
    expect([again.status, other.status, stranger.status]).toEqual([200, 409, 403]);
    expect(stranger.body.detail).toContain('bob@example.test');
    expect(await answersIn(run.runId)).toHaveLength(1);
    expect(await isWaiting(run.runId)).toBe(true);
  });

  it('are not one person who is written in two ways', async () => {
    const run = await asking(['pay_spelled a']);
    expect(askIn(await machine.api.records(run.runId)).questions[0]?.approvers).toEqual(['ada@example.test', 'bob@example.test']);
    const yes = (by: string) => machine.api.answer(run, { by, decision: 'approve' });
    expect([(await yes('Ada@Example.test')).status, (await yes('ada@example.test')).status]).toEqual([200, 409]);
    expect([await isWaiting(run.runId), inputsOf(run.runId)]).toEqual([true, []]);
    expect((await yes('bob@example.test')).status).toBe(200);
    await machine.api.until(run.runId, 'completed');
    expect(inputsOf(run.runId)).toEqual(['a']);
  });

  it('are stopped by the first no', async () => {
    const run = await asking(['pay_two a']);
    await machine.api.answer(run, { by: 'ada@example.test', decision: 'approve' });
    await machine.api.answer(run, { by: 'bob@example.test', decision: 'deny', comment: 'Too dear' });
    await machine.api.until(run.runId, 'completed');
    expect(resultsIn(await machine.api.records(run.runId))).toMatchObject([{ ok: false, output: expect.stringContaining('Too dear') }]);
    expect(inputsOf(run.runId)).toEqual([]);
  });

  it('may answer at the same moment: each counts once, and the run goes on once', async () => {
    const run = await asking(['pay_two a']);
    const people = ['ada', 'bob', 'cid'].map((name) => `${name}@example.test`);
    const sent = await Promise.all(people.flatMap((by) => [1, 2].map(() => machine.api.answer(run, { by, decision: 'approve' }))));
    await machine.api.until(run.runId, 'completed');
    expect(sent.every(({ status }) => status === 200 || status === 409)).toBe(true);
    expect(await answersIn(run.runId)).toHaveLength(2);
    expect(inputsOf(run.runId)).toEqual(['a']);
  });
});

describe('one of two opposite answers at the same moment', () => {
  it('stands, and the other is told what does', async () => {
    const run = await asking(['pay a']);
    const [yes, no] = await Promise.all([
      machine.api.answer(run, { by: 'Ann', decision: 'approve' }),
      machine.api.answer(run, { by: 'Bob', decision: 'deny' }),
    ]);
    expect([yes.status, no.status].toSorted()).toEqual([200, 409]);
    await machine.api.until(run.runId, 'completed');
    expect(inputsOf(run.runId)).toEqual(yes.status === 200 ? ['a'] : []);
    expect((yes.status === 409 ? yes : no).body.detail).toContain(yes.status === 409 ? 'Bob' : 'Ann');
  });
});

describe('an answer at the moment at which another thing ends the ask', () => {
  /** Lets both come to several runs, sooner and later, and says what was answered, what is recorded, and what was done. */
  const raced = (call: string, other?: (runId: string) => Promise<unknown>) =>
    Promise.all(
      Array.from({ length: 6 }, async (_, i) => {
        const runId = await machine.api.start('payer', [[call]]);
        await machine.api.until(runId, 'waiting', 'completed');
        const ask = askIn(await machine.api.records(runId));
        const left = other ? 0 : (ask.questions[0]?.expiresAt ?? 0) - Date.now() - 120 + 40 * i;
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, left)));
        const yes = { by: 'Ann', decision: 'approve' };
        const [said] = await Promise.all([machine.api.call('POST', `/asks/${runId}-${ask.seq}/answer`, yes), other?.(runId)]);
        await machine.api.until(runId, 'completed', 'cancelled');
        const answers = (await answersIn(runId)).flatMap((record) => (record.type === 'answer' ? record.answers : []));
        return { said: said.status, given: answers.map(({ decision }) => decision), paid: inputsOf(runId).length };
      }),
    );

  it('stands, or is told that the clock has answered', async () => {
    for (const { said, given, paid } of await raced('pay_soon a'))
      expect([said, given, paid]).toEqual(said === 200 ? [200, ['approve'], 1] : [409, ['expired'], 0]);
  });

  it('stands, or is told that the run was cancelled', async () => {
    for (const { said, given, paid } of await raced('pay a', (runId) => machine.api.call('POST', `/runs/${runId}/cancel`, { by: 'Bob' }))) {
      expect([said, given]).toEqual(said === 200 ? [200, ['approve']] : [409, []]);
      expect(paid).toBeLessThanOrEqual(given.length);
    }
  });
});

describe('answers to some of the questions', () => {
  it('are kept, and the run waits for the others', async () => {
    const run = await asking(['pay a', 'pay_cid b', 'pay c']);
    await machine.api.answer(run, { by: 'Ann', answers: [{ index: 1, decision: 'approve' }] });
    await machine.api.answer(run, { by: 'Bob', answers: [{ index: 2, decision: 'deny' }] });
    expect(await isWaiting(run.runId)).toBe(true);
    const { asks } = (await machine.api.call<{ asks: { runId: string; answers: unknown[] }[] }>('GET', '/asks')).body;
    expect(asks.find(({ runId }) => runId === run.runId)?.answers).toHaveLength(2);
    // One decision for all is for all that are open.
    await machine.api.answer(run, { by: 'Cid', decision: 'approve' });
    await machine.api.until(run.runId, 'completed');
    expect(inputsOf(run.runId)).toEqual(['a', 'b']);
  });

  it('outlive the host', async () => {
    const run = await asking(['pay a', 'pay b']);
    await machine.api.answer(run, { by: 'Ann', answers: [{ index: 0, decision: 'approve' }] });
    await machine.restart();
    await machine.api.until(run.runId, 'waiting');
    await machine.api.answer(run, { by: 'Bob', answers: [{ index: 1, decision: 'approve' }] });
    await machine.api.until(run.runId, 'completed');
    expect(inputsOf(run.runId)).toEqual(['a', 'b']);
  });

  it('do not change a decision that stands', async () => {
    const run = await asking(['pay a', 'pay b']);
    await machine.api.answer(run, { by: 'Ann', answers: [{ index: 0, decision: 'deny' }] });
    const late = await machine.api.answer(run, {
      by: 'Bob',
      answers: [
        { index: 0, decision: 'approve' },
        { index: 1, decision: 'approve' },
      ],
    });
    expect(late).toMatchObject({ status: 409, body: { detail: expect.stringContaining('Ann') } });
    expect(await answersIn(run.runId)).toHaveLength(1);
  });
});

describe('the other writes of a turn', () => {
  it('wait for the consent that one of them needs, and are done once', async () => {
    const run = await asking(['give a', 'pay b']);
    expect(inputsOf(run.runId)).toEqual([]);
    await machine.restart();
    await machine.api.answer(await machine.api.until(run.runId, 'waiting'), { decision: 'approve' });
    await machine.api.until(run.runId, 'completed');
    expect(inputsOf(run.runId)).toEqual(['a', 'b']);
    expect((await machine.api.records(run.runId)).filter(({ type }) => type === 'reply')).toHaveLength(2);
  });
});

describe('a policy that looks at the run', () => {
  it('asks from the call on at which the rule says so', async () => {
    const run = await asking(['pay_up_to a'], ['pay_up_to b'], ['pay_up_to c']);
    expect(inputsOf(run.runId)).toEqual(['a', 'b']);
    expect(askIn(await machine.api.records(run.runId)).questions[0]?.text).toContain('The third, in turn 2');
  });
});

describe('edited arguments', () => {
  const approve = (input: Json) => ({ by: 'Ann', answers: [{ index: 0, decision: 'approve', input }] });

  it('run in place of those of the model, are in the log, and the model is told', async () => {
    const run = await asking(['pay_shop bill-1']);
    await machine.api.answer(run, approve({ item: 'bill-2', cents: 250 }));
    await machine.api.until(run.runId, 'completed');
    expect(machine.world.applied.at(-1)).toMatchObject({ key: 'pay_shop/bill-2', input: 'bill-2 for 250' });
    const records = await machine.api.records(run.runId);
    expect(records.find(({ type }) => type === 'answer')).toMatchObject({ answers: [{ edit: { input: { item: 'bill-2', cents: 250 } } }] });
    expect(resultsIn(records)).toMatchObject([{ ok: true, edited: { by: 'Ann', input: { item: 'bill-2', cents: 250 } } }]);
  });

  it.each([
    ['of another type', { item: 'x', cents: 'many' }],
    ['beyond a limit', { item: 'x', cents: 5000 }],
    ['that the tool does not know', { item: 'x', tip: 1 }],
    ['that are no object', 'x'],
  ])('%s are refused, and nothing is decided', async (_, input) => {
    const run = await asking(['pay_shop bill-3']);
    expect(await machine.api.answer(run, approve(input as Json))).toMatchObject({ status: 400, body: { title: 'Invalid arguments' } });
    expect(await isWaiting(run.runId)).toBe(true);
  });

  it('are for consent alone, and for one who decides alone', async () => {
    const [denied, two] = [await asking(['pay a']), await asking(['pay_two a'])];
    const deny = { by: 'Ann', answers: [{ index: 0, decision: 'deny', input: { item: 'b' } }] };
    expect((await machine.api.answer(denied, deny)).status).toBe(400);
    expect((await machine.api.answer(two, { ...approve({ item: 'b' }), by: 'ada@example.test' })).status).toBe(400);
  });

  it('that are the same are no edit', async () => {
    const run = await asking(['pay a']);
    await machine.api.answer(run, approve({ item: 'a' }));
    await machine.api.until(run.runId, 'completed');
    expect(resultsIn(await machine.api.records(run.runId))[0]).not.toHaveProperty('edited');
  });
});

describe('edits that would make a repeat which the tool wants none of', () => {
  const edit = (run: Awaited<ReturnType<typeof asking>>, index: number, item: string) =>
    machine.api.answer(run, { by: `person ${index}`, answers: [{ index, decision: 'approve', input: { item } }] });

  it('are not both taken when two people make them at the same moment', async () => {
    for (let i = 0; i < 5; i++) {
      const run = await asking(['pay_reused a', 'pay_reused b']);
      const [one, two] = await Promise.all([edit(run, 0, 'c'), edit(run, 1, 'c')]);
      expect([one.status, two.status].toSorted()).toEqual([200, 400]);
      expect((one.status === 400 ? one : two).body.detail).toContain('has the same arguments');
      await edit(run, one.status === 400 ? 0 : 1, 'd');
      await machine.api.until(run.runId, 'completed');
      expect(inputsOf(run.runId).toSorted()).toEqual(['c', 'd']);
    }
  });

  it('leave a call that was the same without a result that is not its own', async () => {
    const run = await asking(['pay_reused a', 'pay_reused a']);
    await edit(run, 0, 'c');
    await machine.api.until(run.runId, 'completed');
    const [first, second] = resultsIn(await machine.api.records(run.runId));
    expect(first).toMatchObject({ ok: true, edited: { input: { item: 'c' } } });
    expect(second).toMatchObject({ ok: false, output: expect.stringContaining('was the same, until a person gave it other arguments') });
    expect(inputsOf(run.runId)).toEqual(['c']);
  });
});

describe('a question to a person', () => {
  it('waits for the answer, which is the result of its call', async () => {
    const run = await asking(['ask_user Which colour?']);
    expect(run.ask?.kind).toBe('question');
    await machine.api.answer(run, { by: 'Ann', decision: 'result', output: 'green' });
    await machine.api.until(run.runId, 'completed');
    expect(resultsIn(await machine.api.records(run.runId))).toMatchObject([{ ok: true, output: 'green' }]);
  });

  it('takes only one of its options', async () => {
    const run = await asking(['ask_user Which colour?|red|green']);
    const wrong = await machine.api.answer(run, { decision: 'result', output: 'blue' });
    expect(wrong).toMatchObject({ status: 400, body: { detail: expect.stringContaining('"red", "green"') } });
    await machine.api.answer(run, { decision: 'result', output: 'red' });
    await machine.api.until(run.runId, 'completed');
    expect(resultsIn(await machine.api.records(run.runId))).toMatchObject([{ output: 'red' }]);
  });

  it('can be declined, and the model is told why', async () => {
    const run = await asking(['ask_user What is your password?']);
    await machine.api.answer(run, { decision: 'skip', comment: 'I will not say' });
    await machine.api.until(run.runId, 'completed');
    expect(resultsIn(await machine.api.records(run.runId))).toMatchObject([{ ok: false, output: 'I will not say' }]);
  });

  it('is asked together with consent, and messages wait until both are answered', async () => {
    const run = await asking(['ask_user Sure?', 'pay a']);
    await machine.api.call('POST', `/runs/${run.runId}/messages`, { text: 'Hurry' });
    await machine.api.answer(run, { answers: [{ index: 0, decision: 'result', output: 'yes' }] });
    await machine.api.answer(run, { answers: [{ index: 1, decision: 'approve' }] });
    await machine.api.until(run.runId, 'completed');
    const types = (await machine.api.records(run.runId)).map(({ type }) => type);
    expect(types.slice(0, 7)).toEqual(['task', 'reply', 'ask', 'answer', 'answer', 'results', 'user']);
  });
});

describe('when nobody answers', () => {
  it('the run ends, where the policy says so', async () => {
    const runId = await machine.api.start('payer', [['pay_or_stop a']]);
    expect(await machine.api.until(runId, 'failed')).toMatchObject({ reason: expect.stringContaining('ask-expired') });
    expect(inputsOf(runId)).toEqual([]);
  });

  it('the next in line is asked, then the one after, and the last is the end', async () => {
    const runId = await machine.api.start('payer', [['pay_next a']]);
    await machine.api.until(runId, 'completed');
    const asks = (await machine.api.records(runId)).filter((record) => record.type === 'ask');
    expect(asks.map(({ reason, questions }) => [reason, questions[0]?.approvers?.at(-1)])).toEqual([
      ['consent', 'ada@example.test'],
      ['escalated', 'bob@example.test'],
      ['escalated', 'cid@example.test'],
    ]);
    expect(resultsIn(await machine.api.records(runId))).toMatchObject([{ ok: false, output: expect.stringContaining('nobody answered') }]);
  });
});
