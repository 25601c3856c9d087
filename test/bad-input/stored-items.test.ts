import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pack } from '../../lambdas/lib/body.ts';
import { sha256 } from '../../lambdas/lib/hash.ts';
import type { RunSummary } from '../../shared/api.ts';
import type { RunRecord } from '../../shared/record.ts';
import { effectItemKey, INBOX_PREFIX, inboxKey, META_KEY, recordKey, START_SORT_KEY, startKey, waitKey } from '../../shared/tables.ts';
import { expectRefusal, type Item, type Machine, type Received, startMachine } from './machine.ts';

/**
 * A run that stands still, what is done to one of its items, and how that shows. When the item is mended the run goes on
 * as if nothing had been. The stories are played together, phase by phase, since the processes of all must forget.
 */
interface Story {
  readonly name: string;
  /** What it waits for: consent, or a word about an effect whose outcome is open. */
  readonly waits: 'consent' | 'outcome';
  readonly item: string;
  readonly damage: (item: Item) => Item | undefined;
  /** What is told; every story names its item. */
  readonly told: RegExp;
  /** Where it shows: to whoever looks at the run, to whoever answers, or in the run's own status. */
  readonly shows: 'look' | 'answer' | 'interrupted' | 'ask';
}

const newer = (item: Item): Item => ({ ...item, v: 2 });
const NEWER = /: its schema version 2 is newer than 1, the newest this code knows; deploy the newer code/;
const reply = recordKey(2);

const STORIES: Story[] = [
  { name: 'META of newer code', waits: 'consent', item: META_KEY, damage: newer, told: NEWER, shows: 'look' },
  {
    name: 'META without a version',
    waits: 'consent',
    item: META_KEY,
    damage: ({ v: _, ...item }) => item,
    told: /it has no schema version/,
    shows: 'look',
  },
  {
    name: 'META with a policy that is none',
    waits: 'consent',
    item: META_KEY,
    damage: (item) => ({ ...item, policy: 'strict' }),
    told: /policy: /,
    shows: 'look',
  },
  {
    name: 'META with a status that is not known',
    waits: 'consent',
    item: META_KEY,
    damage: (item) => ({ ...item, status: 'asleep' }),
    told: /status: /,
    shows: 'look',
  },
  { name: 'an ask of newer code', waits: 'consent', item: recordKey(3), damage: newer, told: NEWER, shows: 'answer' },
  { name: 'a wait of newer code', waits: 'consent', item: waitKey(3), damage: newer, told: NEWER, shows: 'answer' },
  { name: 'a record of newer code', waits: 'consent', item: reply, damage: newer, told: NEWER, shows: 'interrupted' },
  {
    name: 'a record of a type that is not known',
    waits: 'consent',
    item: reply,
    damage: (item) => ({ ...item, type: 'dream' }),
    told: /type: /,
    shows: 'interrupted',
  },
  {
    name: 'a record whose body is damaged',
    waits: 'consent',
    item: reply,
    damage: (item) => ({ ...item, body: new Uint8Array([1, 2, 3]) }),
    told: /its body is damaged/,
    shows: 'interrupted',
  },
  {
    name: 'a record whose body is half there',
    waits: 'consent',
    item: reply,
    damage: (item) => ({ ...item, body: (item.body as Uint8Array).slice(0, 40) }),
    told: /its body is damaged/,
    shows: 'interrupted',
  },
  {
    name: 'a record whose body is another',
    waits: 'consent',
    item: reply,
    damage: (item) => ({ ...item, body: pack({ text: 7 }) }),
    told: /: text: |: content: /,
    shows: 'interrupted',
  },
  {
    name: 'a record without a body',
    waits: 'consent',
    item: reply,
    damage: ({ body: _, ...item }) => item,
    told: /: text: /,
    shows: 'interrupted',
  },
  {
    name: 'a record that is gone',
    waits: 'consent',
    item: reply,
    damage: () => undefined,
    told: /record 2 is missing, and record 3 is there/,
    shows: 'interrupted',
  },
  { name: 'an effect of newer code', waits: 'outcome', item: effectItemKey(2, 0), damage: newer, told: NEWER, shows: 'ask' },
  {
    name: 'an effect in a state that is not known',
    waits: 'outcome',
    item: effectItemKey(2, 0),
    damage: (item) => ({ ...item, state: 'perhaps' }),
    told: /state: /,
    shows: 'ask',
  },
  { name: 'a message of newer code', waits: 'consent', item: INBOX_PREFIX, damage: newer, told: NEWER, shows: 'ask' },
  {
    name: 'a message whose body is damaged',
    waits: 'consent',
    item: INBOX_PREFIX,
    damage: (item) => ({ ...item, body: new Uint8Array([0]) }),
    told: /its body is damaged/,
    shows: 'ask',
  },
];

/** What was seen of a story. */
interface Seen {
  runId: string;
  askId: string;
  whole?: Item;
  /** The answer of the API to a look at the damaged run, and to its answer. */
  look?: Received;
  answer?: Received;
  /** The run with its damage, when it stands still again. */
  damaged?: RunSummary;
  /** What the run asks because of the damage. */
  asks?: string | undefined;
  /** Whether a look, and an answer that was refused, changed anything. */
  touched?: boolean;
  end?: RunSummary;
  records?: RunRecord[];
}

let machine: Machine;
const seen = new Map<Story, Seen>();
const all = <T>(work: (story: Story, at: Seen) => Promise<T>) => Promise.all([...seen].map(([story, at]) => work(story, at)));
const forget = () => machine.forget('model-step', 'tool-step', 'answer', 'read-runs', 'recover');

beforeAll(async () => {
  machine = await startMachine('call-agents.ts');
  await Promise.all(STORIES.map(async (story) => seen.set(story, await begin(story))));
  await all(async (story, at) => {
    at.whole = (await itemOf(story, at)) as Item;
    await write(at.whole, story.damage(at.whole));
  });
  await forget();
  const before = await machine.everything();
  await all(async (_, at) => {
    at.look = await machine.send({ path: `/runs/${at.runId}` });
  });
  await all(async (story, at) => {
    if (story.shows === 'look') at.answer = await answer(at, story);
  });
  const touched = JSON.stringify(await machine.everything()) !== JSON.stringify(before);
  await all(async (story, at) => {
    at.touched = touched;
    if (story.shows === 'look') return;
    at.answer = await answer(at, story);
    if (story.shows === 'answer') return;
    at.damaged = await machine.settled(at.runId);
    if (story.shows === 'ask')
      at.asks = (await machine.send({ path: `/runs/${at.runId}/records?after=${Number(at.damaged.ask?.id.split('-')[1]) - 1}` })).text;
  });
});
afterAll(() => machine?.stop());

async function begin({ waits, item }: Story): Promise<Seen> {
  const tool = waits === 'consent' ? { tool: 'pay_guarded', input: { item: 'a' } } : { tool: 'fail_once', input: { what: 'a text' } };
  const runId = await machine.start('plays', [{ calls: [tool] }]);
  const { ask } = await machine.settled(runId);
  if (item === INBOX_PREFIX) await machine.post(`/runs/${runId}/messages`, { text: 'Hurry.' });
  return { runId, askId: ask?.id as string };
}

async function itemOf({ item }: Story, { runId }: Seen): Promise<Item | undefined> {
  if (item !== INBOX_PREFIX) return machine.item(runId, item);
  const { inbox } = (await machine.item(runId, META_KEY)) as { inbox: Set<string> };
  return machine.item(runId, inboxKey([...inbox][0] as string));
}

const write = (item: Item, instead: Item | undefined) => (instead ? machine.put(instead) : machine.remove(item));

const answer = ({ askId }: Seen, { waits }: Story) =>
  machine.send({
    method: 'POST',
    path: `/asks/${askId}/answer`,
    body: JSON.stringify({ by: 'Ada', decision: waits === 'consent' ? 'approve' : 'not-done' }),
  });

/** Names the item that is to blame: its key, or the log that it is missing from. */
const blamed = ({ told }: Story, { whole, runId }: Seen, text: string) => {
  const name = told.source.includes('missing') ? runId : `${whole?.pk} ${whole?.sk}`;
  expect(text).toContain(name);
  expect(text).toMatch(told);
};

describe.each(STORIES.map((story) => [story.name, story] as const))('%s', (_, story) => {
  it('is told, by its name, and changes nothing', () => {
    const at = seen.get(story) as Seen;
    expect(at.touched).toBe(false);
    if (story.shows === 'look' || story.shows === 'answer') {
      const received = (story.shows === 'look' ? at.look : at.answer) as Received;
      blamed(story, at, expectRefusal(received, { status: 500 }).detail);
    } else if (story.shows === 'interrupted') {
      expect(at.answer?.status).toBe(200);
      expect(at.damaged?.status).toBe('interrupted');
      blamed(story, at, at.damaged?.reason ?? '');
    } else {
      expect(at.damaged).toMatchObject({ status: 'waiting', reason: 'escalation: step-fails' });
      blamed(story, at, JSON.parse(at.asks ?? '').records[0].questions[0].text);
    }
  });
});

describe('other runs', () => {
  it('are listed, and those that cannot be read are left out', async () => {
    const { runs } = JSON.parse((await machine.send({ path: '/runs?limit=100' })).text) as { runs: RunSummary[] };
    const listed = STORIES.filter((story) => runs.some(({ runId }) => runId === seen.get(story)?.runId));
    expect(listed.map(({ name }) => name)).toEqual(STORIES.filter(({ item }) => item !== META_KEY).map(({ name }) => name));
  });

  it('can be answered while an ask cannot be read', async () => {
    const { status, text } = await machine.send({ path: '/asks' });
    expect(status).toBe(200);
    expect(text).not.toContain(seen.get(STORIES.find(({ name }) => name === 'an ask of newer code') as Story)?.askId);
  });
});

describe('when the item is mended', () => {
  beforeAll(async () => {
    await all((_, at) => write({}, at.whole));
    await forget();
    await all(async (story, at) => {
      if (story.shows === 'interrupted') await machine.post(`/runs/${at.runId}/resume`, { by: 'Ada' });
      else if (story.shows === 'ask') await machine.post(`/asks/${at.damaged?.ask?.id}/answer`, { by: 'Ada', decision: 'retry' });
      else expect((await answer(at, story)).status).toBe(200);
    });
    // An effect that was not done is tried again, and its tool throws again.
    await all(async (story, at) => {
      at.end = await machine.settled(at.runId, story.waits === 'outcome' ? ['waiting'] : ['completed', 'failed', 'waiting']);
      at.records = await machine.records(at.runId);
    });
  });

  it.each(STORIES.map((story) => [story.name, story] as const))('%s: the run goes on, and its effect is one', (_, story) => {
    const { runId, end, records = [] } = seen.get(story) as Seen;
    const ran = machine.world.applied.filter(({ key }) => key.startsWith(`${runId}/`)).length;
    if (story.waits === 'outcome')
      expect({ status: end?.status, kind: end?.ask?.kind, ran }).toEqual({ status: 'waiting', kind: 'outcome-unknown', ran: 2 });
    else expect({ status: end?.status, ran }).toEqual({ status: 'completed', ran: 1 });
    expect(records.map(({ seq }) => seq)).toEqual(records.map((_, i) => i + 1));
    if (story.item === INBOX_PREFIX) expect(records.find(({ type }) => type === 'user')).toMatchObject({ messages: [{ text: 'Hurry.' }] });
  });
});

describe('META that is gone', () => {
  it('is a run that is not there, until it is back', async () => {
    const at = await begin(STORIES[0] as Story);
    const whole = (await machine.item(at.runId, META_KEY)) as Item;
    await machine.remove(whole);
    expectRefusal(await machine.send({ path: `/runs/${at.runId}` }), { status: 404, field: 'id' });
    expectRefusal(await answer(at, STORIES[0] as Story), { status: 404, field: 'id' });
    await machine.put(whole);
    expect((await answer(at, STORIES[0] as Story)).status).toBe(200);
    expect(await machine.settled(at.runId, ['completed'])).toMatchObject({ reason: 'final-reply' });
  });
});

describe('a run that starts another over', () => {
  it('is cancelled, and says why, when that one was erased before it could be told that it is needed', async () => {
    const { runId } = await begin(STORIES[0] as Story);
    const whole = (await machine.item(runId, META_KEY)) as Item;
    await machine.post(`/runs/${runId}/cancel`, { by: 'Ada' });
    await machine.settled(runId, ['cancelled']);
    expect((await machine.send({ method: 'DELETE', path: `/runs/${runId}` })).status).toBe(200);
    const child = `${runId.slice(0, -4)}0000`;
    const { waiting: _, ...begun } = whole;
    const parent = { runId, kind: 'restart', root: runId, by: 'Ada' };
    await machine.put({
      ...begun,
      pk: `RUN#${child}`,
      runId: child,
      status: 'running',
      segment: 1,
      epoch: 0,
      step: '',
      attempts: 0,
      parent,
    });
    await machine.post(`/runs/${child}/resume`, {});
    expect(await machine.settled(child)).toMatchObject({ status: 'cancelled' });
    expect((await machine.records(child)).at(-1)).toMatchObject({ type: 'end', text: `Cancelled by the erasure of run ${runId}` });
    expect(machine.world.applied.filter(({ key }) => key.startsWith(child))).toEqual([]);
  });
});

describe('a run whose code is gone', () => {
  const GONE = 'arn:aws:states:us-east-1:123456789012:stateMachine:holdfast:99';

  it('asks what is to become of it when it is resumed, and can be cancelled all the same', async () => {
    const at = await begin(STORIES[0] as Story);
    const whole = (await machine.item(at.runId, META_KEY)) as Item;
    const stopped = { status: 'interrupted', pin: { ...(whole.pin as object), machine: GONE } };
    await machine.put({ ...whole, ...stopped });
    const resumed = await machine.send({ method: 'POST', path: `/runs/${at.runId}/resume`, body: '{}' });
    expect(resumed.status).toBe(202);
    const waiting = await machine.settled(at.runId, ['waiting']);
    expect(waiting).toMatchObject({ reason: 'restart: code-gone', ask: { kind: 'restart' } });
    const cancelled = await machine.send({ method: 'POST', path: `/runs/${at.runId}/cancel`, body: '{"by":"Ada"}' });
    expect(cancelled.status).toBe(202);
    expect(await machine.settled(at.runId, ['cancelled'])).toMatchObject({ status: 'cancelled' });
  });
});

describe('the claim of an Idempotency-Key', () => {
  it('of newer code is told by its name, and starts no second run', async () => {
    const start = () =>
      machine.send({ method: 'POST', path: '/runs', body: '{"agent":"plays","input":[]}', headers: { 'idempotency-key': 'claimed' } });
    const { runId } = JSON.parse((await start()).text);
    await machine.settled(runId);
    const key = { pk: startKey(sha256('claimed')), sk: START_SORT_KEY };
    const claim = { ...key, v: 1, id: runId, request: sha256('{"agent":"plays","input":[]}') };
    await machine.put({ ...claim, v: 2 });
    const before = await machine.everything();
    expect(expectRefusal(await start(), { status: 500 }).detail).toContain(`${key.pk} ${key.sk}`);
    expect(await machine.everything()).toEqual(before);
    await machine.put(claim);
    expect(JSON.parse((await start()).text).runId).toBe(runId);
  });
});
