import { expect, it } from 'vitest';
import type { RejectionCode } from '../../shared/model.ts';
import type { RunRecord } from '../../shared/record.ts';
import type { Made } from './call-agents.ts';
import { noise } from './noise.ts';
import { type Outcome, playTable, type Row, says } from './plays.ts';

const row = (name: string, input: Made[] | string, outcome: Outcome, agent?: string): Row => ({
  name,
  input,
  outcome,
  ...(agent ? { agent } : {}),
});

const count = (type: RunRecord['type'], times: number) => (records: RunRecord[]) =>
  expect(records.filter((record) => record.type === type)).toHaveLength(times);
const failed = (reason: string, text?: RegExp): NonNullable<Outcome['end']> => ({ status: 'failed', reason, ...(text ? { text } : {}) });
const times = (n: number, reply: Made): Made[] => Array.from({ length: n }, () => reply);

const lookUp = { tool: 'look_up', input: { item: 'a' } };
const pay = { tool: 'pay', input: { item: 'a' } };
const CUT = says(/^Not run: the reply was cut off at the output limit/);
const REFUSED = says(/^Not run: the reply was refused/);

const REPLIES: Row[] = [
  row('nothing', times(9, {}), { end: failed('empty-reply', /3 empty replies in a row/), log: count('reply', 3) }),
  row('blanks', times(9, { text: ' \n\t ' }), { end: failed('empty-reply'), log: count('reply', 3) }),
  row('nothing, and then something', [{}, {}, { text: 'Here.' }], { log: count('reply', 3) }),
  row('calls announced, and none made', times(9, { text: 'I will look.', finish: 'calls' }), {
    end: failed('empty-reply'),
    log: count('reply', 3),
  }),
  row('a call after one that was only announced', [{ finish: 'calls' }, { calls: [lookUp] }], { results: [[true, 'a']], ran: ['look_up'] }),
  row('refused, without a word', [{ finish: 'refused' }], {
    end: failed('refused', /^The model refused to answer$/),
    log: count('reply', 1),
  }),
  row('refused, with words', [{ finish: 'refused', text: 'No.' }], { end: failed('refused', /^No\.$/), log: count('reply', 1) }),
  row('refused within its calls', [{ finish: 'refused', calls: [pay] }], { results: [[false, REFUSED]], ran: [] }),
  row('cut in its text', [{ finish: 'cut', text: 'As I was say' }], {
    end: failed('output-limit', /^As I was say$/),
    log: count('reply', 1),
  }),
  row('cut before a word', times(9, { finish: 'cut' }), { end: failed('empty-reply'), log: count('reply', 3) }),
  row('cut within a call', [{ finish: 'cut', calls: [lookUp, { tool: 'pay', rawInput: '{"item":"a' }] }], {
    results: [
      [false, CUT],
      [false, CUT],
    ],
    ran: [],
  }),
  row('cut within a call each time', times(9, { finish: 'cut', calls: [pay] }), {
    end: failed('output-limit', /cut off .* 3 times in a row/),
    ran: [],
  }),
  row('an end that is not known', [{ finish: 'other', text: 'Paused.' }], { log: count('reply', 1) }),
  row('a call and a stop', [{ finish: 'stop', calls: [lookUp] }], { results: [[true, 'a']], ran: ['look_up'] }),
  row('200 calls at once', [{ repeat: lookUp, times: 200 }], {
    results: times(200, {}).map(() => [true, 'a']),
    ran: Array(200).fill('look_up'),
  }),
  row(
    'one id for two calls',
    [
      {
        calls: [
          { ...lookUp, id: 'x' },
          { tool: 'look_up', input: { item: 'b' }, id: 'x' },
        ],
      },
    ],
    {
      results: [
        [true, 'a'],
        [true, 'b'],
      ],
    },
  ),
  row('an empty id', [{ calls: [{ ...lookUp, id: '' }] }], { results: [[true, 'a']] }),
  row('half a character', [{ text: 'a\ud800' }], { log: (records) => expect(records.at(-1)).toMatchObject({ text: 'a\ud800' }) }),
  row('90,000 letters that hardly pack', [{ noise: 90_000 }], {
    log: (records) => expect(records.at(-1)).toMatchObject({ text: noise(90_000) }),
  }),
  row('250,000 letters that do not fit one item', [{ noise: 250_000 }], {
    log: (records) => expect(records.at(-1)).toMatchObject({ text: noise(250_000) }),
  }),
  row('3,000,000 letters, which are shown in part', [{ long: 3_000_000 }], {
    log: (records) => expect(records.at(-1)).toMatchObject({ text: says(/^x{60000}$/) }),
  }),
  row('600,000 letters that pack well', [{ long: 600_000 }], {
    log: (records) => expect(records.at(-1)).toMatchObject({ text: 'x'.repeat(600_000) }),
  }),
];

const tooLarge = {
  asks: 'escalation',
  reason: 'reply-too-large',
  text: /^The model's reply is too large to be kept\..*Retry, or abort the run\?$/,
} as const;
const leftOut = (words: RegExp) => says(words);
const give = (tool: string) => ({ tool, input: { what: '20 MB' } });
const kept = says(/^x{15000,60000}$/);

const SIZES: Row[] = [
  row('a reply that is too large', [{ long: 33_000_000 }], { end: tooLarge, log: count('reply', 0) }),
  row('a call that does not fit one item', [{ calls: [{ tool: 'look_up', input: { item: noise(100_000) } }] }], {
    results: [[true, noise(100_000)]],
  }),
  row('outputs that do not fit together, of reads', [{ repeat: give('give'), times: 3 }], {
    results: [
      [false, leftOut(/^The call is done, but its output is left out: it has 2\d{7} bytes.*call it again by itself$/)],
      [true, kept],
      [true, kept],
    ],
    ran: ['give', 'give', 'give'],
  }),
  row('outputs that do not fit together, of writes: what might not fit is not begun', [{ repeat: give('give_once'), times: 3 }], {
    results: [
      [true, kept],
      [true, kept],
      [false, leftOut(/^Not run: the outputs of the calls before it leave room for \d+ bytes more.*call it again by itself$/)],
    ],
    ran: ['give', 'give'],
    log: (records) =>
      expect(records.flatMap((record) => (record.type === 'results' ? record.results.map(({ effect }) => effect?.state) : []))).toEqual([
        'done',
        'done',
        undefined,
      ]),
  }),
  row('200 failures with 4,000 letters each', [{ repeat: { tool: 'fail', input: { what: 'a message of 1 MB' } }, times: 200 }], {
    log: (records) => {
      const results = records.flatMap((record) => (record.type === 'results' ? record.results : []));
      expect(results).toHaveLength(200);
      expect(results.every(({ ok }) => !ok)).toBe(true);
      expect(results.every(({ output }) => output === 'm'.repeat(4_000))).toBe(true);
    },
  }),
];

const asked = (reason: string, text: RegExp): Outcome => ({ end: { asks: 'escalation', reason, text }, log: count('reply', 0) });
const broken = (name: string, why: RegExp): Row =>
  row(
    `a script that ${name}`,
    name,
    asked('bad-request', new RegExp(`^Cannot play scripted/plays: its script ${why.source}; correct the script`)),
  );

const SCRIPTS: Row[] = [
  broken('throws', /threw "line 3"/),
  broken('throws nothing', /threw "it threw undefined"/),
  broken('returns nothing', /returned what is no reply/),
  broken('returns a promise', /returned what is no reply/),
  broken('returns a promise that fails', /returned what is no reply/),
  broken('returns a number for a text', /returned what is no reply/),
  broken('returns calls without a tool', /returned what is no reply/),
  broken('returns a word for how it ended', /returned what is no reply/),
  broken('returns a wait that is no number', /returned what is no reply/),
  row(
    'overloaded for ever',
    times(9, { overloaded: 'the provider answered 529', waitSeconds: 1 }),
    asked('overloaded', /^2 tries failed; the last: the provider answered 529/),
    'tries-twice',
  ),
];

const machine = playTable({ REPLIES, SIZES, SCRIPTS });

const CODES: RejectionCode[] = ['bad-request', 'authentication', 'billing', 'permission', 'model-not-found', 'too-large', 'missing-key'];

const ANOTHER_MODEL = "Go on with another model that you name, restart as a new run of today's agent, try this model again, or abort?";

it.each(CODES)('rejected as %s: a person is asked, mends it, and the run goes on', async (code) => {
  const { start, settled, records, post } = machine();
  const runId = await start('mended', code);
  const { ask } = await settled(runId);
  expect((await records(runId)).at(-1)).toMatchObject({
    type: 'ask',
    kind: code === 'model-not-found' ? 'restart' : 'escalation',
    reason: code,
    questions: [{ text: `It is ${code}. ${code === 'model-not-found' ? ANOTHER_MODEL : 'Retry, or abort the run?'}` }],
  });
  await post(`/runs/${runId}/messages`, { text: 'It is mended.' });
  await post(`/asks/${ask?.id}/answer`, { decision: 'retry' });
  expect(await settled(runId)).toMatchObject({ status: 'completed' });
});
