import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askId } from '../../shared/tables.ts';
import { expectRefusal, type Machine, type Refusal, type Sent, startMachine } from './machine.ts';
import { nested, noise } from './noise.ts';

/** Runs that stand still while they are sent what is wrong. */
interface Stage {
  /** Waits for consent to two calls. */
  readonly asking: string;
  readonly consent: string;
  /** The ask about a call that failed too often: retry, result, skip or abort. */
  readonly failing: string;
  /** The ask about the model step: retry or abort. */
  readonly unpaid: string;
  readonly completed: string;
  readonly failed: string;
  readonly cancelled: string;
  /** The ask of the cancelled run. */
  readonly late: string;
  /** An ask that Ada answered with no. */
  readonly answered: string;
  /** Waits, and has as many messages as a run may have. */
  readonly full: string;
}

let machine: Machine;
let stage: Stage;

beforeAll(async () => {
  machine = await startMachine('api-agents.ts');
  stage = await setStage();
});
afterAll(() => machine?.stop());

const USED_KEY = 'used before';
const ORDER = { order: 'A-1', amount: 5 };

async function setStage(): Promise<Stage> {
  const names = ['two-payments', 'failing', 'unpaid', 'echo', 'refusing', 'two-payments', 'two-payments', 'two-payments'];
  const runs = await Promise.all(names.map((agent) => machine.start(agent)));
  await machine.post('/runs', { agent: 'echo', input: ORDER }, { 'idempotency-key': USED_KEY });
  const [asking = '', , , completed = '', failed = '', cancelled = '', answered = '', full = ''] = runs;
  const asks = await Promise.all(runs.map(async (runId) => (await machine.settled(runId)).ask?.id ?? ''));
  await machine.post(`/runs/${cancelled}/cancel`, { by: 'Ada' });
  await machine.post(`/asks/${asks[6]}/answer`, { by: 'Ada', decision: 'deny' });
  await Promise.all([machine.settled(cancelled, ['cancelled']), machine.settled(answered, ['completed'])]);
  for (let i = 0; i < 100; i++) await machine.post(`/runs/${full}/messages`, { text: `message ${i}` });
  const [consent = '', failing = '', unpaid = '', , , late = ''] = asks;
  return { asking, consent, failing, unpaid, completed, failed, cancelled, late, answered: asks[6] ?? '', full };
}

interface Row {
  readonly name: string;
  readonly sent: (at: Stage) => Sent;
  readonly outcome: Refusal;
}

const posted = (path: string, body: unknown, headers?: Record<string, string>): Sent => ({
  method: 'POST',
  path,
  body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
  headers,
});
const start = (name: string, body: unknown, outcome: Refusal, headers?: Record<string, string>): Row => ({
  name,
  sent: () => posted('/runs', body, headers),
  outcome,
});
const get = (name: string, path: string, outcome: Refusal): Row => ({ name, sent: () => ({ path }), outcome });
const answer = (name: string, ask: 'consent' | 'failing' | 'unpaid', body: unknown, outcome: Refusal): Row => ({
  name,
  sent: (at) => posted(`/asks/${at[ask]}/answer`, body),
  outcome,
});
const steer = (name: string, run: keyof Stage, verb: string, body: unknown, outcome: Refusal, headers?: Record<string, string>): Row => ({
  name,
  sent: (at) => posted(`/runs/${at[run]}/${verb}`, body, headers),
  outcome,
});

const invalid = (field: string, detail?: RegExp): Refusal => ({ status: 400, field, ...(detail ? { detail } : {}) });
const malformed: Refusal = { status: 400, detail: /^The body is not/ };
const gone: Refusal = { status: 404, field: 'id' };
const nowhere: Refusal = { status: 404 };
const wrongMethod: Refusal = { status: 405 };
const over = (detail: RegExp): Refusal => ({ status: 409, detail });

const STARTS: Row[] = [
  start('no body', '', malformed),
  start('half of a JSON text', '{"agent":"echo","inp', malformed),
  start('two JSON texts', '{"agent":"echo","input":1}{}', malformed),
  start('a form', 'agent=echo&input=1', malformed),
  start('NaN, which JSON does not know', '{"agent":"echo","input":NaN}', malformed),
  start('a byte order mark', '\ufeff{"agent":"echo","input":1}', malformed),
  start('bytes that are not UTF-8', new Uint8Array([0x22, 0xff, 0xfe, 0x22]), malformed),
  start('UTF-16', Buffer.from('{"agent":"echo","input":1}', 'utf16le'), malformed),
  start('packed bytes', gzipSync('{"agent":"echo","input":1}'), malformed, { 'content-encoding': 'gzip' }),
  start('a list', [], invalid('body')),
  start('a text', '"echo"', invalid('body')),
  start('null', 'null', invalid('body')),
  start('no agent', { input: 1 }, invalid('agent')),
  start('no input', { agent: 'echo' }, invalid('input')),
  start('a number as agent', { agent: 7, input: 1 }, invalid('agent')),
  start('an agent 10,000 levels deep', `{"agent":${nested(10_000)},"input":1}`, invalid('agent')),
  start('an empty agent', { agent: '', input: 1 }, invalid('agent')),
  start(
    'an unknown agent',
    { agent: 'nobody', input: 1 },
    { status: 404, field: 'agent', detail: /"nobody"; there are echo, two-payments/ },
  ),
  start('an agent that is in every prototype', { agent: 'constructor', input: 1 }, { status: 404, field: 'agent' }),
  start('an agent with a NUL', { agent: 'echo\0', input: 1 }, { status: 404, field: 'agent' }),
  start('an agent of 100,000 letters', { agent: 'x'.repeat(100_000), input: 1 }, { status: 404, field: 'agent' }),
  start('a key that is not known', { agent: 'echo', input: 1, model: 'x' }, invalid('model')),
  start('a key named __proto__', '{"agent":"echo","input":1,"__proto__":{"x":1}}', invalid('__proto__')),
  start('a key named constructor', { agent: 'echo', input: 1, constructor: 1 }, invalid('constructor')),
  start('a key of 100,000 letters', { agent: 'echo', input: 1, ['k'.repeat(100_000)]: 1 }, invalid('k'.repeat(200))),
  start('10,000 keys that are not known', Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, i])), invalid('agent')),
  start('an input of 501 levels', `{"agent":"echo","input":${nested(501)}}`, invalid('input', /at most 500 levels/)),
  start('an input of 10,000 levels', `{"agent":"echo","input":${nested(10_000)}}`, invalid('input', /at most 500 levels/)),
  start('an input of 400,000 levels', `{"agent":"echo","input":${nested(400_000)}}`, invalid('input', /at most 500 levels/)),
  start('a number without end', '{"agent":"echo","input":1e999}', invalid('input')),
  start(
    'a number beyond 64 bits',
    '{"agent":"echo","input":{"order":[7230914468201735681]}}',
    invalid('input.order.0', /the number 7230914468201735681 has more digits than a number keeps; send it as a text/),
  ),
  start(
    'an input above its limit',
    { agent: 'echo', input: 'x'.repeat(2_399_999) },
    { status: 413, field: 'input', detail: /2400000 bytes/ },
  ),
  start('an input of few characters and many bytes', { agent: 'echo', input: '\0'.repeat(400_001) }, { status: 413, field: 'input' }),
  start('a body above its limit', ' '.repeat(5_500_001), { status: 413 }),
  start('a blank Idempotency-Key', { agent: 'echo', input: 1 }, invalid('Idempotency-Key'), { 'idempotency-key': '  ' }),
  start('an Idempotency-Key of 256', { agent: 'echo', input: 1 }, invalid('Idempotency-Key'), { 'idempotency-key': 'k'.repeat(256) }),
  start(
    'the Idempotency-Key of another request',
    { agent: 'echo', input: { ...ORDER, amount: 6 } },
    { status: 422, field: 'Idempotency-Key' },
    { 'idempotency-key': USED_KEY },
  ),
];

const ADDRESSES: Row[] = [
  get('a route that is not there', '/nothing', nowhere),
  get('no path', '/', nowhere),
  get('an empty id', '/runs/', nowhere),
  get('two slashes', '/runs//records', nowhere),
  get('a run that is not there', '/runs/01JDZ0000000000000000000AA', gone),
  get('an id in small letters', '/runs/01jdz0000000000000000000aa', gone),
  get('an id of 10 KB', `/runs/${'A'.repeat(10_240)}`, gone),
  get('an id that climbs out', '/runs/..%2F..%2Fetc%2Fpasswd', gone),
  get('an id with a slash', '/runs/a%2Fb/records', gone),
  get('an id with a #, as in a table key', '/runs/01JDZ0000000000000000000AA%23META', gone),
  get('an id that is half an escape', '/runs/%E0%A4%A', gone),
  get('an id that is NUL', '/runs/%00', gone),
  get('an id that is __proto__', '/runs/__proto__', gone),
  { name: 'a method that is not there', sent: () => ({ method: 'DELETE', path: '/runs' }), outcome: wrongMethod },
  { name: 'PUT of a run', sent: (at) => ({ method: 'PUT', path: `/runs/${at.asking}`, body: '{}' }), outcome: wrongMethod },
  { name: 'cancelling by GET', sent: (at) => ({ path: `/runs/${at.asking}/cancel` }), outcome: wrongMethod },
  { name: 'answering by GET', sent: (at) => ({ path: `/asks/${at.consent}/answer?decision=approve` }), outcome: wrongMethod },
  { name: 'a foreign Host', sent: () => ({ path: '/runs', headers: { host: 'evil.example' } }), outcome: { status: 403 } },
  {
    name: 'a foreign Origin',
    sent: (at) => posted(`/asks/${at.consent}/answer`, { decision: 'approve' }, { origin: 'https://evil.example' }),
    outcome: { status: 403 },
  },
  { name: 'an Origin of no site', sent: () => ({ path: '/runs', headers: { origin: 'null' } }), outcome: { status: 403 } },
];

const QUERIES: Row[] = [
  get('a limit that is no number', '/runs?limit=many', invalid('limit')),
  get('a limit of none', '/runs?limit=0', invalid('limit')),
  get('a blank limit', '/runs?limit=', invalid('limit')),
  get('a limit above the most', '/runs?limit=101', invalid('limit')),
  get('half a limit', '/runs?limit=1.5', invalid('limit')),
  get('two limits', '/runs?limit=5&limit=6', invalid('limit')),
  get('a status that is none', '/runs?status=alive', invalid('status')),
  get('two statuses', '/runs?status=running&status=failed', invalid('status')),
  get('a place that is no run id', '/runs?before=zzz', invalid('before')),
  { name: 'a wait above the most', sent: (at) => ({ path: `/runs/${at.asking}?wait=21` }), outcome: invalid('wait') },
  { name: 'a wait without end', sent: (at) => ({ path: `/runs/${at.asking}?wait=Infinity` }), outcome: invalid('wait') },
  { name: 'a wait into the past', sent: (at) => ({ path: `/runs/${at.asking}?wait=-1` }), outcome: invalid('wait') },
  { name: 'a seq below none', sent: (at) => ({ path: `/runs/${at.asking}/records?after=-1` }), outcome: invalid('after') },
  { name: 'a seq beyond whole numbers', sent: (at) => ({ path: `/runs/${at.asking}/records?after=1e300` }), outcome: invalid('after') },
];

const entry = (index: number | undefined, decision: string, more: object = {}) => ({ index, decision, ...more });
const both = (decision: string, more: object = {}) => [entry(0, decision, more), entry(1, decision)];

const ANSWERS: Row[] = [
  {
    name: 'an ask that is not there',
    sent: (at) => posted(`/asks/${askId(at.asking, 99)}/answer`, { decision: 'approve' }),
    outcome: gone,
  },
  {
    name: 'the id of a record that is no ask',
    sent: (at) => posted(`/asks/${askId(at.asking, 1)}/answer`, { decision: 'approve' }),
    outcome: gone,
  },
  {
    name: 'an ask of a run that is not there',
    sent: () => posted('/asks/01JDZ0000000000000000000AA-3/answer', { decision: 'approve' }),
    outcome: gone,
  },
  { name: 'an id that is none', sent: () => posted('/asks/..%2F3/answer', { decision: 'approve' }), outcome: gone },
  answer('no decision', 'consent', {}, invalid('decision', /Give either one decision/)),
  answer(
    'a decision and a list',
    'consent',
    { decision: 'approve', answers: both('deny') },
    invalid('decision', /Give either one decision/),
  ),
  answer('a word that is no decision', 'consent', { decision: 'yes' }, invalid('decision')),
  answer('a decision in capitals', 'consent', { decision: 'APPROVE' }, invalid('decision')),
  answer('true', 'consent', { decision: true }, invalid('decision')),
  answer('nothing for a decision', 'consent', { decision: null }, invalid('decision')),
  answer('a decision and a space', 'consent', { decision: 'approve ' }, invalid('decision')),
  answer('another word for a yes', 'consent', { approved: 1 }, invalid('approved')),
  answer('a body that is a list', 'consent', [{ decision: 'approve' }], invalid('body')),
  answer('what this ask does not take', 'consent', { decision: 'retry' }, invalid('decision', /takes approve, deny, not "retry"/)),
  answer('other arguments for two calls', 'consent', { decision: 'approve', input: {} }, invalid('input', /it is for one call/)),
  answer('other arguments with a no', 'consent', { answers: [{ ...entry(0, 'deny'), input: {} }] }, invalid('input')),
  answer(
    'an answer to a question that is not there',
    'consent',
    { answers: [...both('approve'), entry(2, 'approve')] },
    invalid('answers'),
  ),
  answer('an answer to no call', 'consent', { answers: [...both('approve'), entry(undefined, 'approve')] }, invalid('answers')),
  answer(
    'a yes and a no to one question',
    'consent',
    { answers: [...both('approve'), entry(1, 'deny')] },
    invalid('answers', /about call 1 is answered twice/),
  ),
  answer('an empty list', 'consent', { answers: [] }, invalid('answers')),
  answer('an entry with a key that is not known', 'consent', { answers: both('approve', { sure: true }) }, invalid('answers.0.sure')),
  answer('an index that is a text', 'consent', { answers: [{ index: '0', decision: 'approve' }] }, invalid('answers.0.index')),
  answer('an index below none', 'consent', { answers: [entry(-1, 'approve')] }, invalid('answers.0.index')),
  answer('a comment beside the list', 'consent', { answers: both('approve'), comment: 'ok' }, invalid('comment')),
  answer('an output beside the list', 'consent', { answers: both('approve'), output: 1 }, invalid('output')),
  answer('an output with a yes', 'consent', { decision: 'approve', output: 1 }, invalid('output')),
  answer('a comment of 4,001', 'consent', { decision: 'approve', comment: 'c'.repeat(4_001) }, invalid('comment')),
  answer(
    'such a comment in the list',
    'consent',
    { answers: both('approve', { comment: 'c'.repeat(4_001) }) },
    invalid('answers.0.comment'),
  ),
  answer('a blank name', 'consent', { decision: 'approve', by: '  ' }, invalid('by')),
  answer('a name of 201', 'consent', { decision: 'approve', by: 'n'.repeat(201) }, invalid('by')),
  answer('half a character as name', 'consent', '{"decision":"approve","by":"\\ud800"}', invalid('by')),
  answer('a key that is not known', 'consent', { decision: 'approve', sure: true }, invalid('sure')),
  answer('a result without its output', 'failing', { decision: 'result' }, invalid('output')),
  answer('a result 501 levels deep', 'failing', `{"decision":"result","output":${nested(501)}}`, invalid('output')),
  answer('a result above its limit', 'failing', { decision: 'result', output: noise(1_245_000) }, { status: 413, field: 'output' }),
  answer(
    'a result 10,000 levels deep',
    'failing',
    `{"decision":"result","output":${nested(10_000)}}`,
    invalid('output', /at most 500 levels/),
  ),
  answer(
    'a result with more digits than are kept',
    'failing',
    '{"decision":"result","output":{"id":[1e999]}}',
    invalid('output.id.0', /send it as a text/),
  ),
  answer(
    'a result of few characters and many bytes',
    'failing',
    { decision: 'result', output: '\0'.repeat(400_001) },
    { status: 413, field: 'output', detail: /2400000 bytes/ },
  ),
  answer(
    'other arguments above their limit',
    'failing',
    { decision: 'retry', input: { item: noise(1_245_000) } },
    { status: 413, field: 'input', detail: /2400000 bytes/ },
  ),
  answer(
    'other arguments above it in the list',
    'consent',
    { answers: [{ ...entry(0, 'approve'), input: { item: noise(1_245_000) } }] },
    { status: 413, field: 'answers' },
  ),
  answer(
    'other arguments 501 levels deep',
    'consent',
    `{"answers":[{"index":0,"decision":"approve","input":{"item":${nested(500)}}}]}`,
    invalid('answers.0.input', /at most 500 levels/),
  ),
  answer(
    'other arguments with more digits than are kept',
    'consent',
    '{"answers":[{"index":0,"decision":"approve","input":{"item":12345678901234567890}}]}',
    invalid('answers.0.input.item'),
  ),
  answer(
    'other arguments with a key named __proto__',
    'consent',
    '{"answers":[{"index":0,"decision":"approve","input":{"item":"a","__proto__":{"x":1}}}]}',
    invalid('input', /has no argument "__proto__"/),
  ),
  answer('an index where there is no call', 'unpaid', { answers: [entry(0, 'retry')] }, invalid('answers')),
  {
    name: 'a second answer',
    sent: (at) => posted(`/asks/${at.answered}/answer`, { by: 'Ada', decision: 'approve' }),
    outcome: over(/call 0 was answered by Ada: deny/),
  },
  {
    name: 'the same by another person',
    sent: (at) => posted(`/asks/${at.answered}/answer`, { by: 'Bob', decision: 'deny' }),
    outcome: over(/answered by Ada/),
  },
  {
    name: 'an answer to a cancelled run',
    sent: (at) => posted(`/asks/${at.late}/answer`, { decision: 'approve' }),
    outcome: over(/closed|cancelled/),
  },
];

const STEERING: Row[] = [
  steer('cancelling what is completed', 'completed', 'cancel', {}, over(/is completed/)),
  steer('resuming what is completed', 'completed', 'resume', {}, over(/is completed/)),
  steer('resuming what failed', 'failed', 'resume', {}, over(/is failed \(refused\)/)),
  steer('a message to what failed', 'failed', 'messages', { text: 'go on' }, over(/is failed/)),
  steer('a message to what is cancelled', 'cancelled', 'messages', { text: 'go on' }, over(/is cancelled/)),
  steer('a cancel that is a list', 'asking', 'cancel', [], invalid('body')),
  steer('a cancel with a reason, which it does not take', 'asking', 'cancel', { reason: 'x' }, invalid('reason')),
  steer('a cancel that is no JSON', 'asking', 'cancel', 'now', malformed),
  steer('a cancel by nobody', 'asking', 'cancel', { by: '' }, invalid('by')),
  steer('a resume by a number', 'asking', 'resume', { by: 1 }, invalid('by')),
  steer('no message', 'asking', 'messages', {}, invalid('text')),
  steer('an empty message', 'asking', 'messages', { text: '' }, invalid('text')),
  steer('a blank message', 'asking', 'messages', { text: ' \n\t' }, invalid('text', /blank/)),
  steer('a message that is a list', 'asking', 'messages', { text: ['a'] }, invalid('text')),
  steer('a message above its limit', 'asking', 'messages', { text: 'x'.repeat(2_399_999) }, { status: 413, field: 'text' }),
  steer('a message of few characters and many bytes', 'asking', 'messages', { text: '\0'.repeat(400_001) }, { status: 413, field: 'text' }),
  steer('a message with a blank key', 'asking', 'messages', { text: 'a' }, invalid('Idempotency-Key'), { 'idempotency-key': ' ' }),
  steer('a message with a key of 256', 'asking', 'messages', { text: 'a' }, invalid('Idempotency-Key'), {
    'idempotency-key': 'k'.repeat(256),
  }),
  steer('one message more than a run may have', 'full', 'messages', { text: 'a' }, { status: 429, detail: /100 messages/ }),
];

const TABLE = Object.entries({ STARTS, ADDRESSES, QUERIES, ANSWERS, STEERING });

describe.each(TABLE)('%s are refused, and nothing changes', (_, rows) => {
  it.each(rows.map((row) => [row.name, row] as const))('%s', async (_, { sent, outcome }) => {
    const before = await machine.everything();
    expectRefusal(await machine.send(sent(stage)), outcome);
    expect(await machine.everything()).toEqual(before);
  });
});

describe('what looks wrong and is not', () => {
  /** What is sent as JSON text, and the JSON text that is kept. */
  const INPUTS: [name: string, input: string, kept?: string][] = [
    ['keys of every prototype', '{"__proto__":{"x":1},"constructor":{"prototype":1},"toString":null}'],
    ['500 levels', nested(500)],
    ['an empty text', '""'],
    ['a NUL', '"a\\u0000b"'],
    ['half a character', '"\\ud800"'],
    ['a key said twice: the last counts', '{"a":1,"a":2}', '{"a":2}'],
    ['digits beyond 64 bits as a text', '"123456789012345678901234567890"'],
    ['less than nothing', '-0', '0'],
    ['text at the limit that does not pack', JSON.stringify(noise(150_000))],
    ['control characters at the limit', JSON.stringify(noise(45_000, 0, 31))],
  ];

  it.each(INPUTS)('%s', async (_, input, kept = input) => {
    const { status, text } = await machine.send(posted('/runs', `{"agent":"echo","input":${input}}`));
    expect(status).toBe(202);
    const { runId } = JSON.parse(text);
    expect(await machine.settled(runId)).toMatchObject({ status: 'completed' });
    const page = (await machine.send({ path: `/runs/${runId}/records?limit=1` })).text;
    expect(JSON.stringify(JSON.parse(page).records[0].input)).toBe(kept);
  });

  it('an Idempotency-Key again with equal content in another order, several at once', async () => {
    const [shuffled, spelt] = [
      '{"input":{"amount":5.0,"order":"A-1"},"agent":"echo"}',
      '{"agent":"echo","input":{"order":"\\u0041-1","amount":5}}',
    ];
    const sent = [shuffled, spelt, shuffled].map((body) => machine.send(posted('/runs', body, { 'idempotency-key': ` ${USED_KEY} ` })));
    const answers = await Promise.all(sent);
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
    expect(new Set(answers.map(({ text }) => JSON.parse(text).runId)).size).toBe(1);
  });

  it('an Idempotency-Key again after a connection that was cut', async () => {
    const headers = { 'idempotency-key': 'cut off', 'content-type': 'application/json' };
    const body = JSON.stringify({ agent: 'echo', input: 'cut' });
    const cut = new AbortController();
    const first = fetch(`${machine.host.url}/runs`, { method: 'POST', headers, body, signal: cut.signal }).catch(() => undefined);
    const second = machine.send(posted('/runs', body, headers));
    cut.abort();
    const [again, ...others] = await Promise.all([
      second,
      machine.send(posted('/runs', body, headers)),
      machine.send(posted('/runs', body, headers)),
      first,
    ]);
    const ids = [again, ...others.slice(0, 2)].map((received) => JSON.parse((received as { text: string }).text).runId);
    expect(new Set(ids).size).toBe(1);
    const { runs } = JSON.parse((await machine.send({ path: `/runs?limit=100` })).text);
    expect(runs.filter(({ runId }: { runId: string }) => runId === ids[0])).toHaveLength(1);
  });

  it.each([
    '/runs?limit=1e1',
    '/runs?__proto__=1&constructor=2',
    '/runs?unknown=x',
    '/runs?agent=nobody',
    '/runs?before=01JDZ0000000000000000000AA',
    '/runs/../agents',
  ])('GET %s', async (path) => {
    expect((await machine.send({ path })).status).toBe(200);
  });

  it('a message at the limit that does not pack, half a character, and the same key twice', async () => {
    const runId = await machine.start('echo');
    await machine.settled(runId);
    const texts = [noise(45_000, 0, 31), 'half a \ud800 character'];
    for (const [i, text] of texts.entries()) {
      const key = { 'idempotency-key': `message ${i}` };
      const sent = await machine.post(`/runs/${runId}/messages`, { text }, key);
      await machine.settled(runId, ['completed']);
      expect(await machine.post(`/runs/${runId}/messages`, { text }, key)).toEqual(sent);
    }
    expectRefusal(await machine.send(posted(`/runs/${runId}/messages`, { text: 'another' }, { 'idempotency-key': 'message 0' })), {
      status: 422,
      field: 'Idempotency-Key',
    });
    await machine.settled(runId, ['completed']);
    expect(
      (await machine.records(runId)).flatMap((record) => (record.type === 'user' ? record.messages.map(({ text }) => text) : [])),
    ).toEqual(texts);
  });

  it('more messages than one record holds: all are there, in order', async () => {
    const runId = await machine.start('two-payments');
    const { ask } = await machine.settled(runId);
    const texts = Array.from({ length: 5 }, (_, i) => `${i}${noise(400_000)}`);
    for (const text of texts) await machine.post(`/runs/${runId}/messages`, { text });
    await machine.post(`/asks/${ask?.id}/answer`, { decision: 'deny' });
    expect(await machine.settled(runId)).toMatchObject({ status: 'completed' });
    const taken = (await machine.records(runId)).flatMap((record) =>
      record.type === 'user' ? [record.messages.map(({ text }) => text)] : [],
    );
    // Records of that size are shown in part.
    expect(taken.flat().map((text) => text.slice(0, 1_000))).toEqual(texts.map((text) => text.slice(0, 1_000)));
    expect(taken.length).toBeGreaterThan(1);
  });

  it('the same answer again, in another spelling, and after the run has ended', async () => {
    const runId = await machine.start('failing');
    const { ask } = await machine.settled(runId);
    const path = `/asks/${ask?.id}/answer`;
    const first = await machine.send(posted(path, '{"by":"Ada","decision":"result","output":{"a":1,"b":[2]}}'));
    await machine.settled(runId, ['completed']);
    const again = await machine.send(posted(path, '{"by":"Ada","answers":[{"output":{"b":[2],"a":1},"index":0,"decision":"result"}]}'));
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(JSON.parse(again.text).record).toEqual(JSON.parse(first.text).record);
  });

  it('resuming twice at once: one wins, the other is told', async () => {
    const runId = await machine.start('unpaid');
    await machine.settled(runId);
    const answers = await Promise.all([1, 2].map(() => machine.send(posted(`/runs/${runId}/resume`, {}))));
    const [won, lost] = answers.toSorted((a, b) => a.status - b.status);
    expect(won?.status).toBe(202);
    if (lost?.status === 409) expectRefusal(lost, over(/was given another segment at the same moment/));
    else expect(lost?.status).toBe(202); // One after the other, after all.
    expect(await machine.settled(runId)).toMatchObject({ status: 'waiting' });
  });

  it('two answers at once: one stands', async () => {
    const runId = await machine.start('two-payments');
    const { ask } = await machine.settled(runId);
    const answers = await Promise.all(['approve', 'deny'].map((decision) => machine.send(posted(`/asks/${ask?.id}/answer`, { decision }))));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    await machine.settled(runId, ['completed']);
    expect((await machine.records(runId)).filter(({ type }) => type === 'answer')).toHaveLength(1);
  });

  it('after all this the same processes are still at work', async () => {
    const { invocations } = machine.host.info();
    for (const name of ['start-run', 'read-runs', 'steer-run', 'answer'] as const) expect(invocations[name].failed).toBe(0);
  });
});
