import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunSummary, ShownSummary } from '../../shared/api.ts';
import { askIn, resultsIn } from '../support/api-client.ts';
import { type Machine, startMachine } from '../support/machine.ts';

let machine: Machine;
beforeAll(async () => {
  machine = await startMachine(new URL('./long-agents.ts', import.meta.url));
});
afterAll(() => machine?.stop());

const start = (input: Record<string, string | number>) => machine.api.start('long', input);
const summariesOf = async (runId: string) =>
  (await machine.api.call<{ summaries: ShownSummary[] }>('GET', `/runs/${runId}/summaries`)).body.summaries;
const paid = (runId: string) => machine.world.applied.filter(({ key }) => key.startsWith(runId)).length;

describe('a run that outgrows its view', () => {
  let runId: string;
  let run: RunSummary;
  beforeAll(async () => {
    runId = await start({ turns: 40 });
    run = await machine.api.until(runId, 'completed', 'waiting', 'failed');
  });

  it('comes to its end, with its effects once each', () => {
    expect(run).toMatchObject({ status: 'completed', reason: 'final-reply' });
    expect(run.totals.turns).toBe(41);
    expect(paid(runId)).toBe(2);
  });

  it('has summaries that go on from one another, over whole groups of its records', async () => {
    const [summaries, records] = [await summariesOf(runId), await machine.api.records(runId)];
    expect(summaries.length).toBeGreaterThan(3);
    for (const [i, { seq, after, version, model, attempts }] of summaries.entries()) {
      expect({ after, version, model, attempts }).toEqual({
        after: summaries[i - 1]?.seq ?? 1,
        version: 1,
        model: 'scripted/long',
        attempts: 1,
      });
      expect(records[seq - 1]?.type).toBe('results');
    }
    expect(summaries.filter(({ current }) => current)).toEqual([summaries.at(-1)]);
    expect(run.summarizedTo).toBe(summaries.at(-1)?.seq);
    expect(summaries.at(-1)?.text).toMatch(/Then \d+ to \d+\.$/);
  });

  it('keeps plan and effects beside every summary, whatever the model writes', async () => {
    const last = (await summariesOf(runId)).at(-1);
    expect(last?.facts).toContain('[ ] pay twice');
    expect(last?.facts).toMatch(/c\d+_0 pay_once \{"item":"bill 2"\} -> \{"done":"pay_once"\}/);
    expect(run.plan).toEqual({ items: [{ text: 'pay twice', status: 'open' }] });
  });

  it('counts what the summaries cost', async () => {
    const records = await machine.api.records(runId);
    const replies = records.flatMap((record) => (record.type === 'reply' ? [record.usage.outputTokens] : []));
    const summaries = (await summariesOf(runId)).map(({ usage }) => usage.outputTokens);
    const sum = (numbers: number[]) => numbers.reduce((all, each) => all + each, 0);
    expect(run.totals.outputTokens).toBe(sum(replies) + sum(summaries));
  });

  it('has no record of them', async () => {
    const types = new Set((await machine.api.records(runId)).map(({ type }) => type));
    expect([...types].sort()).toEqual(['end', 'reply', 'results', 'task']);
  });
});

describe('a summary that is thrown away', () => {
  it('changes no record, and the run goes on from the one before it', async () => {
    const { api } = machine;
    const runId = await start({ turns: 20 });
    await api.until(runId, 'completed');
    const before = JSON.stringify(await api.records(runId));
    const [{ seq }, ...older] = (await summariesOf(runId)).toReversed() as [ShownSummary, ...ShownSummary[]];
    const { status, body } = await api.call<{ run: RunSummary; summary: ShownSummary }>('POST', `/runs/${runId}/summaries/${seq}/discard`, {
      by: 'Ann',
    });
    expect([status, body.summary.discarded?.by, body.summary.current]).toEqual([202, 'Ann', false]);
    expect(body.run.summarizedTo).toBe(older[0]?.seq);
    expect(JSON.stringify(await api.records(runId))).toBe(before);
    await api.call('POST', `/runs/${runId}/messages`, { text: 'Go on' });
    await api.until(runId, 'completed');
    expect((await api.records(runId)).slice(0, JSON.parse(before).length)).toEqual(JSON.parse(before));
  });

  it('is made again in its place when somebody wants that', async () => {
    const { api } = machine;
    const runId = await start({ turns: 20 });
    await api.until(runId, 'completed');
    const [first, ...more] = await summariesOf(runId);
    const { seq, text } = more.at(-1) as ShownSummary;
    for (const verb of ['discard', 'remake'])
      expect(await api.call('POST', `/runs/${runId}/summaries/${first?.seq}/${verb}`, {})).toMatchObject({
        status: 409,
        body: {
          detail: `What came after the summary up to record ${first?.seq} was made from it; throw the newest away first, the one up to record ${seq}`,
        },
      });
    expect((await summariesOf(runId)).some(({ discarded }) => discarded)).toBe(false);
    expect((await api.call('POST', `/runs/${runId}/summaries/${seq}/remake`, {})).status).toBe(202);
    const turns = (await api.show(runId)).totals.turns;
    await api.call('POST', `/runs/${runId}/messages`, { text: 'Go on' });
    await expect.poll(async () => (await api.show(runId)).totals.turns).toBeGreaterThan(turns);
    const again = (await summariesOf(runId)).find((each) => each.seq === seq);
    expect(again).toMatchObject({ version: 2, text });
    expect(again).not.toHaveProperty('discarded');
  });

  it('stays as it was made again when the request for its first version is repeated', async () => {
    const { api } = machine;
    const runId = await start({ turns: 20 });
    await api.until(runId, 'completed');
    const { seq } = (await summariesOf(runId)).at(-1) as ShownSummary;
    const ask = (verb: string, version: number) => api.call('POST', `/runs/${runId}/summaries/${seq}/${verb}`, { by: 'Ann', version });
    expect((await ask('remake', 2)).status).toBe(404);
    for (const _ of ['once', 'again']) expect((await ask('remake', 1)).status).toBe(202);
    await api.call('POST', `/runs/${runId}/messages`, { text: 'Go on' });
    await expect.poll(async () => (await summariesOf(runId)).find((each) => each.seq === seq)?.version).toBe(2);
    await api.until(runId, 'completed');
    const before = await summariesOf(runId);
    for (const verb of ['remake', 'discard'])
      expect(await ask(verb, 1)).toMatchObject({ status: 202, body: { summary: { seq, version: 2 } } });
    expect(await summariesOf(runId)).toEqual(before);
    expect(before.find((each) => each.seq === seq)).not.toHaveProperty('discarded');
  });

  it('is named when there is none', async () => {
    const runId = await start({ turns: 3 });
    await machine.api.until(runId, 'completed');
    expect(await machine.api.call('POST', `/runs/${runId}/summaries/7/discard`, {})).toMatchObject({
      status: 404,
      body: { detail: `Run "${runId}" has no summary up to record 7; its summaries say which there are` },
    });
    expect(await summariesOf(runId)).toEqual([]);
  });
});

describe('a fork of a run that was summed up', () => {
  const fork = async (runId: string, at: number) =>
    (await machine.api.call<{ run: RunSummary }>('POST', `/runs/${runId}/fork`, { at, message: 'Go on' })).body.run.runId;

  it('goes on from the newest summary of the records that it shares, and pays for none of them again', async () => {
    const { api } = machine;
    const old = await start({ turns: 20 });
    await api.until(old, 'completed');
    const shared = (await summariesOf(old)).at(-2) as ShownSummary;
    const runId = await fork(old, shared.seq);
    const run = await api.until(runId, 'completed');
    const [first, ...own] = await summariesOf(runId);
    expect(first).toMatchObject({ seq: shared.seq, version: 1, text: shared.text, facts: shared.facts });
    expect(own.every(({ after }) => after >= shared.seq)).toBe(true);
    const sum = (numbers: number[]) => numbers.reduce((all, each) => all + each, 0);
    const replies = (await api.records(runId)).flatMap((record) => (record.type === 'reply' ? [record.usage.outputTokens] : []));
    expect(run.totals.outputTokens).toBe(sum(replies) + sum(own.map(({ usage }) => usage.outputTokens)));
    expect((await summariesOf(old)).find(({ seq }) => seq === shared.seq)).toEqual(shared);
  });

  it('of a fork: goes on from that of the first run, where its own parent has none of the records it shares', async () => {
    const { api } = machine;
    const old = await start({ turns: 20 });
    await api.until(old, 'completed');
    const [first, , third] = (await summariesOf(old)) as [ShownSummary, ShownSummary, ShownSummary];
    const parent = await fork(old, third.seq);
    await api.until(parent, 'completed');
    expect((await summariesOf(parent))[0]?.seq).toBe(third.seq);
    const runId = await fork(parent, first.seq);
    await api.until(runId, 'completed');
    expect((await summariesOf(runId))[0]).toMatchObject({ seq: first.seq, text: first.text, at: first.at });
  });

  it('has none where it branches off before the first, and where its parent threw that away', async () => {
    const { api } = machine;
    const old = await start({ turns: 8 });
    await api.until(old, 'completed');
    const [first] = await summariesOf(old);
    const early = await fork(old, (first?.seq ?? 0) - 2);
    for (const { seq } of (await summariesOf(old)).toReversed()) await api.call('POST', `/runs/${old}/summaries/${seq}/discard`, {});
    const late = await fork(old, (await api.records(old)).length - 2);
    for (const runId of [early, late]) {
      await api.until(runId, 'completed');
      expect((await summariesOf(runId)).every(({ after, seq }) => after === 1 || after < seq)).toBe(true);
      expect((await summariesOf(runId))[0]?.after ?? 1).toBe(1);
    }
  });
});

describe('a summary that is of no use', () => {
  it.each([
    ['empty', 'was empty'],
    ['cut', 'was cut off at the output limit'],
    ['long', 'has about 6250 tokens, and may have 150'],
  ])('%s: is asked for three times, and then a person is asked', async (summaries, why) => {
    const { api } = machine;
    const runId = await start({ turns: 20, summaries });
    const waiting = await api.until(runId, 'waiting', 'completed', 'failed');
    expect(waiting).toMatchObject({ status: 'waiting', reason: 'escalation: bad-summary' });
    expect(askIn(await api.records(runId)).questions).toMatchObject([
      { text: expect.stringContaining(`no good summary of it came in 3 tries; the last ${why}`), choices: ['retry', 'abort'] },
    ]);
    expect(await summariesOf(runId)).toEqual([]);
    expect(waiting.totals.outputTokens).toBeGreaterThan(summaries === 'long' ? 18_750 : 0);
    await api.answer(waiting, { decision: 'abort' });
    await api.until(runId, 'failed');
  });

  it('is made up for by the next try', async () => {
    const runId = await start({ turns: 12, summaries: 'refused-once' });
    await machine.api.until(runId, 'completed');
    expect((await summariesOf(runId)).every(({ attempts }) => attempts === 2)).toBe(true);
  });

  it('overload is waited for, as before a reply', async () => {
    const runId = await start({ turns: 8, summaries: 'overloaded' });
    expect(await machine.api.until(runId, 'completed', 'waiting')).toMatchObject({ status: 'completed' });
    expect((await summariesOf(runId)).map(({ attempts }) => attempts)).toContain(3);
  });

  it('a conversation of which no part is small enough ends in an ask', async () => {
    const runId = await start({ turns: 20, summaries: 'too-large' });
    expect(await machine.api.until(runId, 'waiting')).toMatchObject({ reason: 'escalation: too-large' });
  });
});

describe('a request that the provider says is too large', () => {
  it('makes room once, and then asks', async () => {
    const { api } = machine;
    const runId = await start({ turns: 20, tooLargeAt: 4 });
    const waiting = await api.until(runId, 'waiting', 'completed');
    expect(waiting).toMatchObject({ status: 'waiting', reason: 'escalation: too-large' });
    expect(await summariesOf(runId)).toHaveLength(1);
    await api.answer(waiting, { decision: 'retry' });
    const again = await api.until(runId, 'waiting');
    expect((await summariesOf(runId)).length).toBeLessThanOrEqual(2);
    await api.answer(again, { decision: 'abort' });
    await api.until(runId, 'failed');
  });

  it('asks at once where there is no room to make', async () => {
    const runId = await start({ turns: 20, tooLargeAt: 0 });
    expect(await machine.api.until(runId, 'waiting')).toMatchObject({ reason: 'escalation: too-large' });
    expect(await summariesOf(runId)).toEqual([]);
  });
});

describe('what was summed up', () => {
  it('still counts: the same failing call is asked about after its last try', async () => {
    const { api } = machine;
    const runId = await api.start('stubborn', 'go');
    const waiting = await api.until(runId, 'waiting', 'failed');
    expect(waiting).toMatchObject({ reason: 'escalation: repeated-call', totals: { turns: 4 } });
    expect((await summariesOf(runId)).length).toBeGreaterThan(0);
    await api.answer(waiting, { decision: 'abort' });
    await api.until(runId, 'failed');
  });

  it('still guards: an equal call is answered from what was done', async () => {
    const { api } = machine;
    const runId = await api.start('forgetful', 'go');
    await api.until(runId, 'completed', 'waiting');
    expect(paid(runId)).toBe(1);
    const [summary] = await summariesOf(runId);
    const last = resultsIn(await api.records(runId)).at(-1);
    expect(last).toMatchObject({ ok: true, output: { done: 'pay_reuse' }, reused: true });
    expect(summary?.seq).toBeGreaterThan(3);
  });
});

describe('a long output', () => {
  it('is kept whole, and the rest of it is read when the agent asks for it', async () => {
    const { api } = machine;
    const runId = await api.start('reader', 'go');
    await api.until(runId, 'completed');
    const records = await api.records(runId);
    const [report, rest] = resultsIn(records);
    expect(String(report?.output)).toHaveLength(800_023);
    expect(rest?.output).toBe('(characters 799990 to 800023 of 800023)\n interest\nthe end is what matters');
  });
});
